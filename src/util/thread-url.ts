/** Where the modules of a compiled executable live; entry points keep their path below `src` and end in `.js`. */
const EMBEDDED_ROOT = process.platform === 'win32' ? '/B:/~BUN/root/' : '/$bunfs/root/'

/** True inside the compiled executable, false when the source runs under bun. */
export const isCompiled = `/${import.meta.path.replaceAll('\\', '/').replace(/^\//, '')}`.startsWith(EMBEDDED_ROOT)

/**
 * The address of a worker-thread module, right for `new Worker(…)` from source and in the compiled executable.
 *
 * A plain `new URL('./x-thread.ts', import.meta.url)` works from source only: the bundler neither rewrites it nor adds the
 * module, and a bundled module's own URL is that of a chunk at the root. So the build makes every `src/app/threads/*-thread.ts` an
 * entry point, and this function names it by its path below `src`.
 *
 * @param modulePath  below `src`, without extension, for example `app/threads/record-thread`.
 */
export function threadUrl(modulePath: string): URL {
  if (isCompiled) return new URL(`file://${EMBEDDED_ROOT}${modulePath}.js`)
  return new URL(`../${modulePath}.ts`, import.meta.url)
}
