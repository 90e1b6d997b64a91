/** A system that a release has an executable for. */
export interface Target {
  /** As npm names the system and the processor; it is the name of the package too: `@lodeline/linux-x64`. */
  name: string
  os: 'linux' | 'darwin' | 'win32'
  cpu: 'x64' | 'arm64'
  /** The C library of a Linux system. */
  libc?: 'glibc' | 'musl'
  /** The package of npm that has the runtime: `@oven/bun-linux-aarch64`. */
  runtime: string
  /** As `bun build --target` names it. */
  compileTarget: string
}

export const TARGETS: readonly Target[] = [
  { ...on('linux', 'x64'), libc: 'glibc' },
  { ...on('linux', 'arm64'), libc: 'glibc' },
  { ...on('linux', 'x64', '-musl'), libc: 'musl' },
  { ...on('linux', 'arm64', '-musl'), libc: 'musl' },
  on('darwin', 'arm64'),
  on('darwin', 'x64'),
  on('win32', 'x64'),
]

function on(os: Target['os'], cpu: Target['cpu'], suffix: '' | '-musl' = ''): Target {
  const system = os === 'win32' ? 'windows' : os
  return {
    name: `${os}-${cpu}${suffix}`,
    os,
    cpu,
    runtime: `@oven/bun-${system}-${cpu === 'arm64' ? 'aarch64' : cpu}${suffix}`,
    compileTarget: `bun-${system}-${cpu}${suffix}`,
  }
}

/** The executable's name in the package. */
export const executableName = ({ os }: Target): string => (os === 'win32' ? 'lode.exe' : 'lode')

/** The file of the package as `npm pack` names it. */
export const tarballName = ({ name }: Target, version: string): string => `lodeline-${name}-${version}.tgz`

/** The system that this runs on; `undefined` = a release has no executable for it. */
export function hostTarget(): Target | undefined {
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } }
  const libc = process.platform !== 'linux' ? undefined : header.glibcVersionRuntime ? 'glibc' : 'musl'
  return TARGETS.find((each) => each.os === process.platform && each.cpu === process.arch && each.libc === libc)
}
