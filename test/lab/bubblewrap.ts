/** Sees that sandboxes can be made on this machine, and gets their program where there is none. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findBubblewrap } from '../../src/worker/sandbox/bubblewrap'

/** @throws Error  there is no sandbox on this machine, so nothing can be said of it; the message says what to install */
export async function needBubblewrap(): Promise<void> {
  if ('path' in (await findBubblewrap(process.env))) return
  if (existsSync('/etc/debian_version')) {
    if (process.getuid?.() === 0) install()
    else unpack()
  }
  const found = await findBubblewrap(process.env)
  if ('why' in found)
    throw new Error(
      `No sandbox can be had, so nothing can be said of it: ${found.why}.\n` +
        'Install bubblewrap (Debian: apt-get install bubblewrap) and see that `bwrap --unshare-user --ro-bind / / true` succeeds.',
    )
}

const run = (program: string, words: readonly string[], cwd?: string): unknown =>
  execFileSync(program, words, {
    cwd,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
    stdio: 'ignore',
  })

function install(): void {
  // Waits for another apt that is at work, instead of failing at once.
  const words = ['-q', '-y', '-o', 'DPkg::Lock::Timeout=120']
  for (const what of [['update'], ['install', '--no-install-recommends', 'bubblewrap']])
    run('apt-get', [...words, ...what])
}

/** A user who may install nothing unpacks the package into a folder of this process, and puts that in front of the search path. */
function unpack(): void {
  const folder = mkdtempSync('/tmp/ld-bwrap-')
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['state/lists/partial', 'cache/archives/partial', 'package'])
    mkdirSync(join(folder, name), { recursive: true })
  const own = { 'Dir::State': join(folder, 'state'), 'Dir::Cache': join(folder, 'cache') }
  const settings = Object.entries({ ...own, 'Dir::State::status': '/var/lib/dpkg/status' })
  const words = ['-q', ...settings.flatMap(([name, value]) => ['-o', `${name}=${value}`])]
  run('apt-get', [...words, 'update'])
  run('apt-get', [...words, 'download', 'bubblewrap'], folder)
  const file = readdirSync(folder).find((name) => name.endsWith('.deb'))
  if (file === undefined) return
  run('dpkg', ['-x', join(folder, file), join(folder, 'package')])
  process.env.PATH = `${join(folder, 'package/usr/bin')}${delimiter}${process.env.PATH ?? ''}`
}
