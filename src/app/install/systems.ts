/** Systems by the names of a release's packages: `linux-x64`, `linux-arm64-musl`, `darwin-arm64`. */

/** The one that this program runs on. */
export function ownSystem(): string {
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } }
  const isMusl = process.platform === 'linux' && header.glibcVersionRuntime === undefined
  return `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`
}

/**
 * The one that `uname` reports.
 *
 * @param name  of `uname -s`
 * @param processor  of `uname -m`
 * @returns `null` = a release has nothing for it
 */
export function systemOf(name: string, processor: string, isMusl: boolean): string | null {
  const os = name === 'Linux' ? 'linux' : name === 'Darwin' ? 'darwin' : null
  const cpu = /^(x86_64|amd64)$/.test(processor) ? 'x64' : /^(aarch64|arm64)$/.test(processor) ? 'arm64' : null
  return os === null || cpu === null ? null : `${os}-${cpu}${os === 'linux' && isMusl ? '-musl' : ''}`
}
