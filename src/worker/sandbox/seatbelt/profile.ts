/** What a path and all below it is to a run. Later rules lie over earlier ones, as they do in a profile. */
export interface PathRule {
  may: 'nothing' | 'read' | 'write'
  /** Absolute, and real: the system compares where a path leads. */
  path: string
}

/** The whole network, or ports of this machine's loopback alone. */
export type Outbound = 'all' | readonly number[]

/** What programs ask of the system. Launch services, Apple events and jobs are not among it: they start programs outside. */
const SERVICES = [
  'com.apple.SecurityServer',
  'com.apple.securityd.xpc',
  'com.apple.bsd.dirhelper',
  'com.apple.logd',
  'com.apple.system.logger',
  'com.apple.system.notification_center',
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
]
/** They look up names and fetch what certificates name, so they are a way out. */
const NETWORK_SERVICES = [
  'com.apple.SystemConfiguration.configd',
  'com.apple.SystemConfiguration.DNSConfiguration',
  'com.apple.networkd',
  'com.apple.ocspd',
  'com.apple.trustd.agent',
]
/** Values of the machine and its processes, but not the words and environment of other processes (`kern.procargs2`). */
const SYSCTL_PREFIXES = ['hw.', 'machdep.', 'vm.', 'net.routetable.', 'kern.os', 'kern.max', 'kern.proc.']
const SYSCTLS = [
  'kern.argmax',
  'kern.bootargs',
  'kern.boottime',
  'kern.hostname',
  'kern.ngroups',
  'kern.secure_kernel',
  'kern.tcsm_available',
  'kern.tcsm_enable',
  'kern.usrstack64',
  'kern.version',
  'kern.willshutdown',
  'sysctl.proc_cputype',
  'sysctl.proc_translated',
  'security.mac.lockdown_mode_state',
]
const DEVICES = [
  '/dev/null',
  '/dev/zero',
  '/dev/random',
  '/dev/urandom',
  '/dev/tty',
  '/dev/stdout',
  '/dev/stderr',
  '/dev/fd/1',
  '/dev/fd/2',
  '/dev/dtracehelper',
]

/**
 * The profile of a run for `sandbox-exec`: nothing but what is allowed; of several rules that fit, the last one counts. It names paths
 * only whole or with all below them: no patterns, which a hostile name could bend.
 */
export function seatbeltProfile(rules: readonly PathRule[], outbound: Outbound): string {
  const seen = rules.filter(({ may }) => may !== 'nothing').flatMap(({ path }) => above(path))
  const kept = rules.flatMap(({ may, path }) => (may === 'write' ? [path] : above(path)))
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec)',
    '(allow process-fork)',
    '(allow process-info* (target same-sandbox))',
    '(allow signal (target same-sandbox))',
    '(allow user-preference-read)',
    '(allow iokit-get-properties)',
    '(allow ipc-posix-shm)',
    '(allow ipc-posix-sem)',
    rule('allow mach-lookup', 'global-name', SERVICES),
    rule('allow sysctl-read', 'sysctl-name-prefix', SYSCTL_PREFIXES),
    rule('allow sysctl-read', 'sysctl-name', SYSCTLS),
    ...networkLines(outbound),
    '(allow file-read*)',
    '(allow file-map-executable)',
    ...rules.map(pathLine),
    rule('allow file-ioctl file-write-data', 'literal', DEVICES),
    // Whoever resolves a path asks about each folder on the way to it.
    rule('allow file-read-metadata', 'literal', seen),
    // Rules go by the path: who renames a folder around a protected file could change the file, and who moves a run's folder could put a
    // link in its place.
    rule('deny file-write-unlink', 'literal', kept),
    '',
  ].join('\n')
}

function networkLines(outbound: Outbound): string[] {
  if (outbound === 'all')
    return ['(allow network*)', '(allow system-socket)', rule('allow mach-lookup', 'global-name', NETWORK_SERVICES)]
  return [
    '(allow network-bind (local ip "localhost:*"))',
    '(allow network-inbound (local ip "localhost:*"))',
    ...outbound.map((port) => `(allow network-outbound (remote ip "localhost:${port}"))`),
  ]
}

function pathLine({ may, path }: PathRule): string {
  const where = `(subpath ${quoted(path)})`
  if (may === 'nothing') return `(deny file-read* file-write* ${where})`
  if (may === 'write') return `(allow file-read* file-write* ${where})`
  return `(allow file-read* ${where})\n(deny file-write* ${where})`
}

/** Without a value there is no rule: one without a filter would be for everything. */
const rule = (words: string, filter: string, values: readonly string[]): string =>
  values.length === 0
    ? ''
    : `(${words} ${[...new Set(values)].map((value) => `(${filter} ${quoted(value)})`).join(' ')})`

/** A string of the profile's language: only its end and its own escapes mean something in it. */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

/** The folders in which a path lies, from the root on. */
function above(path: string): string[] {
  const names = path.split('/').slice(1, -1)
  return ['/', ...names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`)]
}
