/**
 * Builds the dashboard, and compiles Lodeline with it into one executable: `bun scripts/build.ts [OUTFILE] [--root DIR]`,
 * `dist/lode` below the root by default.
 *
 * What was tried with Bun 1.4.4 on Linux x64, a program that loads hono, zod and kysely for one of its commands (p50 of a
 * whole process; `--format=esm` throughout):
 *
 *                              a command without them    the command with them
 *   bytecode, splitting               3.7 ms                    8.2 ms
 *   bytecode alone                    6.8 ms                    9.7 ms
 *   splitting alone                   3.8 ms                   26.1 ms
 *   with minifying, or with source maps: no difference; so errors keep their file names and lines.
 *
 * A thread module must be an entry point of its own, and its embedded name is its path below the common root with the
 * ending `.js`; `--root=src` keeps that name whatever the entry points are. `src/util/thread-url.ts` is the other half of
 * this. `.env` and `bunfig.toml` of the folder where a person happens to stand must not change the program, so their
 * loading is switched off.
 */
import { mkdir, mkdtemp, rename, rm, utimes } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildDashboard, describe, webSources } from './build-web'
import { compileLode, entryPoints } from './compile'

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: { root: { type: 'string', default: resolve(import.meta.dir, '..') } },
})
const root = resolve(values.root)
const outfile = resolve(positionals[0] ?? join(root, 'dist/lode'))

await mkdir(dirname(outfile), { recursive: true })
// Built in a folder beside its place and renamed: a running `lode` keeps its file, and nobody starts half of one. The
// source maps that bun leaves in the folder are in the executable as well.
const folder = await mkdtemp(join(dirname(outfile), '.build-'))
const building = join(folder, basename(outfile))
const metafile = join(folder, 'meta.json')
try {
  await buildDashboard(root)
  const startedAt = new Date()
  await compileLode({ root, outfile: building, metafile })
  await writeSources()
  // A source that is saved while the build runs counts as newer than what was built.
  await utimes(building, startedAt, startedAt)
  await rename(building, outfile)
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
if (!process.exitCode) {
  const megabytes = Math.round(Bun.file(outfile).size / 1e6)
  process.stderr.write(`built ${outfile} (${megabytes} MB, ${entryPoints(root).length} entry points)\n`)
}

/**
 * Writes `OUTFILE.sources`, the shell code by which `bin/lode` sees whether a file that went into the executable has
 * changed since. A file that is new is no input until one of these imports it.
 *
 * The dashboard's own files, as many again, are looked at only for a caller that asks whether to build: no other way to run `lode` would
 * show a newer page. The source shows a page that was built since, which only a server is asked for.
 */
async function writeSources(): Promise<void> {
  const { inputs } = (await Bun.file(metafile).json()) as { inputs: Record<string, unknown> }
  const own = Object.keys(inputs).filter((path) => path.startsWith('src/'))
  const files = ['package.json', 'package-lock.json', 'scripts/build.ts', 'scripts/compile.ts', ...own.sort()]
  const code = [
    newer(files, '$compiled'),
    `[ -n "$serves" ] && [ "$root/dist/dashboard.pack" -nt "$compiled" ] && fresh=no`,
    `if [ -n "$LODELINE_IS_FRESH" ]; then ${newer(webSources(root), '$root/dist/dashboard.pack')}; fi`,
  ]
  await Bun.write(`${outfile}.sources`, `${code.join('\n')}\n`)
}

/** Shell code that takes the executable for stale when one of these files is newer than another. */
function newer(files: string[], than: string): string {
  // The names stand in shell code without quotes.
  const odd = files.find((path) => !/^[\w./-]+$/.test(path))
  if (odd) throw new Error(`${odd}: the name of a source file may hold letters, digits, '.', '-' and '_' only.`)
  return `for file in ${files.join(' ')}; do [ "$root/$file" -nt "${than}" ] && fresh=no && break; done`
}
