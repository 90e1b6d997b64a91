/** Compiles Lodeline with its threads into one executable; `scripts/build.ts` says why with these options. */
import { spawn } from 'bun'

/** A runtime of another system that the executable is made with. */
export interface Runtime {
  /** As `bun build --target` names it. */
  target: string
  /** The file of that runtime, so that bun downloads none. */
  executable: string
}

export interface CompileOptions {
  root: string
  outfile: string
  /** Where bun writes which files went into the executable. */
  metafile: string
  /** By default, the executable is for this machine. */
  runtime?: Runtime
}

/** The modules that start a thread or the program. */
export function entryPoints(root: string): string[] {
  return ['src/cli/main.ts', ...threadModules(root)]
}

/** Below the root. */
export function threadModules(root: string): string[] {
  return [...new Bun.Glob('src/app/threads/*-thread.ts').scanSync({ cwd: root })].sort()
}

/** @throws Error with the compiler's messages */
export async function compileLode({ root, outfile, metafile, runtime }: CompileOptions): Promise<void> {
  const flags = [
    '--compile',
    '--bytecode',
    '--format=esm',
    '--splitting',
    '--sourcemap=linked',
    '--root=src',
    '--no-compile-autoload-dotenv',
    '--no-compile-autoload-bunfig',
    `--metafile=${metafile}`,
    `--outfile=${outfile}`,
    ...(runtime ? [`--target=${runtime.target}`, `--compile-executable-path=${runtime.executable}`] : []),
  ]
  const build = spawn([process.execPath, 'build', ...flags, ...entryPoints(root)], {
    cwd: root,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const stop = () => build.kill()
  process.on('SIGINT', stop).on('SIGTERM', stop)
  try {
    const [out, err, code] = await Promise.all([build.stdout.text(), build.stderr.text(), build.exited])
    if (code !== 0) throw new Error(`${out}${err}The build failed.`)
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}
