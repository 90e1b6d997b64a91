/** Compiles the program with the made-up agent CLI, and that CLI: from source each start of a server takes five times the work. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildDashboard } from '../../../scripts/build-web'
import { threadModules } from '../../../scripts/compile'

const root = resolve(import.meta.dir, '../../..')
const here = import.meta.dir.slice(root.length + 1)

/** Paths of executables. */
interface MadeUpProgram {
  lode: string
  cli: string
}

let built: Promise<MadeUpProgram> | undefined

/** Once for a test file, whose end removes them. @throws Error with the compiler's messages */
export function buildMadeUp(): Promise<MadeUpProgram> {
  built ??= buildInto(mkdtempSync('/tmp/ld-made-up-'))
  return built
}

async function buildInto(folder: string): Promise<MadeUpProgram> {
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const lode = join(folder, 'lode')
  const cli = join(folder, 'made-up')
  // It is a part of the program. A test run has built it.
  await buildDashboard(root)
  // Threads keep their paths below `src`, as `src/util/thread-url.ts` expects.
  await Promise.all([
    compile(lode, ['--root=src', `${here}/program.ts`, `${here}/enter.ts`, ...threadModules(root)]),
    compile(cli, [`${here}/cli.ts`]),
  ])
  return { lode, cli }
}

async function compile(outfile: string, what: readonly string[]): Promise<void> {
  const flags = ['--compile', '--bytecode', '--format=esm', '--splitting', `--outfile=${outfile}`]
  const build = Bun.spawn([process.execPath, 'build', ...flags, ...what], { cwd: root, stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([build.stdout.text(), build.stderr.text(), build.exited])
  if (code !== 0) throw new Error(`${out}${err}`)
}
