import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { AppError } from '../../domain/errors'
import { type AttemptId, attemptId, type TaskId } from '../../domain/ids'
import type { AttemptReport } from '../../domain/task/worker-protocol'
import { DAY_MS } from '../../domain/time-units'
import { randomHex } from '../../util/crypto'

/** What the next start of the worker must know of an attempt whose worker is gone. */
export interface AttemptNote {
  attemptId: AttemptId
  taskId: TaskId
  /** The worker's name. */
  worker: string
  /** The agent's CLI; `null` = not started. */
  process: { pid: number; startedAt: string | null } | null
  /** The guard above it, which carries no mark of the attempt where it was started before. */
  guard: AttemptNote['process']
  /** The epoch of the server's database when the attempt began; `null` = the server did not say. */
  epoch: string | null
}

/**
 * An attempt's own folder `<home>/runs/<attemptId>`, closed to other users. What its run reads and writes there is below `run`; the rest is
 * the worker's: the run's output, and which processes to end.
 */
export class AttemptFolder {
  readonly path: string
  /** What the run may see. */
  readonly run: string
  /** The reminder at a compaction if the server is away. */
  readonly recall: string
  readonly stream: string
  readonly stderr: string
  readonly snapshot: string
  /** Where the hooks of a sandboxed run report, and how much of it the host's journal has. */
  readonly hooks: string
  readonly hooksDone: string
  /** What a sandboxed run writes outside of its working folder. */
  readonly scratch: string
  /** The socket by which a sandboxed run reaches the network. */
  readonly network: string
  readonly #note: string
  readonly #end: string

  private constructor(path: string) {
    this.path = path
    this.run = join(path, 'run')
    this.recall = join(this.run, 'recall.txt')
    this.snapshot = join(this.run, 'snapshot.jsonl')
    this.stream = join(path, 'stream.jsonl')
    this.stderr = join(path, 'stderr.log')
    this.hooks = join(path, 'hooks')
    this.hooksDone = join(path, 'hooks-done.json')
    this.scratch = join(path, 'scratch')
    this.network = join(path, 'network')
    this.#note = join(path, 'attempt.json')
    this.#end = join(path, 'end.json')
  }

  /** Makes it. What stands there from another epoch is another attempt's. @throws `invalid` an id that is no name for a folder */
  static make(home: string, id: AttemptId, epoch: string | null): AttemptFolder {
    if (!ATTEMPT_ID.test(id))
      throw new AppError('invalid', `The server gave an attempt the invalid ID ${JSON.stringify(id)}.`)
    const folder = new AttemptFolder(join(runsFolder(home), id))
    if (epochsDiffer(folder.readNote()?.epoch ?? null, epoch)) folder.keep()
    mkdirSync(folder.run, { recursive: true, mode: 0o700 })
    chmodSync(folder.path, 0o700)
    return folder
  }

  /** Folders that are there, of whatever attempts. */
  static list(home: string, names = ATTEMPT_ID): AttemptFolder[] {
    try {
      return readdirSync(runsFolder(home))
        .filter((name) => names.test(name))
        .map((name) => new AttemptFolder(join(runsFolder(home), name)))
    } catch {
      return []
    }
  }

  /** Those that `keep` put aside. */
  static kept(home: string): AttemptFolder[] {
    return AttemptFolder.list(home, KEPT)
  }

  /** Puts it aside for the database that knows the attempt. @returns where to */
  keep(): string {
    if (KEPT.test(basename(this.path))) return this.path
    const to = `${this.path}@${randomHex(4)}`
    renameSync(this.path, to)
    return to
  }

  /** Writes a file that the run may see; a power loss ends the run, so nothing waits for the disk. @returns its path */
  writeRunFile(name: string, text: string): string {
    const path = join(this.run, name)
    this.write(path, text, { flush: false })
    return path
  }

  /** Writes one of its files whole: a reader sees the old one or the new one. */
  write(path: string, content: string | Uint8Array, { flush = true } = {}): void {
    const draft = `${path}.new`
    writeFileSync(draft, content, { mode: 0o600, flush })
    renameSync(draft, path)
  }

  /** Before there is a process nothing waits for the disk: a power loss leaves nothing to be ended. */
  writeNote(note: AttemptNote): void {
    this.write(this.#note, JSON.stringify(note), { flush: note.process !== null })
  }

  /** `null` = there is none, or it was cut short by a crash. */
  readNote(): AttemptNote | null {
    const note = readJson(this.#note) as Partial<AttemptNote> | null
    if (typeof note?.attemptId !== 'string' || typeof note.worker !== 'string') return null
    return {
      attemptId: attemptId(note.attemptId),
      taskId: note.taskId ?? ('' as TaskId),
      worker: note.worker,
      process: note.process ?? null,
      guard: note.guard ?? null,
      epoch: note.epoch ?? null,
    }
  }

  /** Keeps a report that the server could not get, for the next start. */
  writeEnd(report: AttemptReport): void {
    this.write(this.#end, JSON.stringify(report))
  }

  readEnd(): AttemptReport | null {
    return readJson(this.#end) as AttemptReport | null
  }

  removeEnd(): void {
    rmSync(this.#end, { force: true })
  }

  /** Nothing was written to it for a day. */
  isOld(): boolean {
    return Date.now() - (statSync(this.path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > DAY_MS
  }

  remove(): void {
    makeRemovable(this.scratch)
    rmSync(this.path, { recursive: true, force: true })
  }
}

const ATTEMPT_ID = /^t-[0-9a-z]{1,40}\.[0-9]{1,9}$/

const KEPT = /^t-[0-9a-z]{1,40}\.[0-9]{1,9}@[0-9a-f]{8}$/

/** Whether both are known, and they are not the same. */
export const epochsDiffer = (a: string | null, b: string | null): boolean => a !== null && b !== null && a !== b

const runsFolder = (home: string) => join(home, 'runs')

/** Some tools keep what they fetch in folders that nobody may change. */
function makeRemovable(folder: string): void {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) makeRemovable(join(folder, entry.name))
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}
