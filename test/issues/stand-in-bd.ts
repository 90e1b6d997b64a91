/**
 * A program that behaves as bd 1.0.5 does at our port to it. No package that a test run could install holds bd: the one of npm downloads
 * its binary from elsewhere when it is installed.
 *
 * Shapes of answers follow recorded outputs of bd 1.0.5 (version, list and `dep add`) and its source (export lines, create, update,
 * close, reopen, comments, delete). Taken for granted, since no bd was there to be asked:
 * - flags may be written `--flag=value`, also empty; `--` ends them; a flag that it does not know ends it with 1 and no change;
 * - `--title` `--body-file=-` `--metadata` `--estimate` `--spec-id` `--external-ref` `--session` as of its source;
 * - metadata is merged, `--unset-metadata` takes a key out;
 * - `create --parent` counts children up and gives them the parent's labels; `create --id X.1` makes X its parent;
 * - `update --defer` sets status deferred unless `--status` says otherwise; times are kept in whole seconds;
 * - `update --parent` replaces the parent; `dep remove` takes away edges of every type;
 * - what is written is in the next `export`, and a file below `embeddeddolt/NAME/.dolt/noms` is another one then.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** How it misbehaves: by command, for every call until the test changes it. */
export interface Mischief {
  /** Never ends, and leaves a process of its own behind. */
  hangs?: string
  /** Answers with what is no JSON, exit 0, and does nothing. */
  babbles?: string
  /** Answers with more than anybody wants. */
  floods?: string
  /** Exit 0 with a good answer, and nothing was done. */
  pretends?: string
  /** Exit 1 after the work. */
  fails?: string
  release?: string
}

export interface BdRun {
  argv: string[]
  env: Record<string, string>
  cwd: string
  stdin: string
}

/** A folder for a search path, with a `bd` in it. */
export class StandInBd {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
    mkdirSync(folder, { recursive: true })
    const main = resolve(import.meta.dir, 'stand-in-bd-main.ts')
    writeFileSync(join(folder, 'bd'), `#!/bin/sh\nexec '${process.execPath}' '${main}' '${folder}' "$@"\n`)
    chmodSync(join(folder, 'bd'), 0o755)
  }

  misbehave(mischief: Mischief): void {
    writeFileSync(join(this.folder, 'mischief.json'), JSON.stringify(mischief))
  }

  /** Every call so far. */
  runs(): BdRun[] {
    const path = join(this.folder, 'runs.jsonl')
    if (!existsSync(path)) return []
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
    return lines.map((line) => JSON.parse(line) as BdRun)
  }

  commands(): string[] {
    return this.runs().map(({ argv }) => argv[0] ?? '')
  }
}

/** A `.beads` folder as `bd init` leaves it, embedded. @param issues  as an export says them */
export function initBeads(project: string, issues: readonly Record<string, unknown>[] = []): string {
  const beads = join(project, '.beads')
  const noms = join(beads, 'embeddeddolt', 'demo', '.dolt', 'noms')
  mkdirSync(noms, { recursive: true })
  writeFileSync(join(beads, 'metadata.json'), JSON.stringify({ database: 'dolt', backend: 'dolt' }))
  writeFileSync(join(noms, 'journal'), JSON.stringify({ prefix: 'demo', issues }))
  return beads
}
