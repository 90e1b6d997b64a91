/** Sees that sandboxes can be made on this machine, and gets their program where there is none. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { findBubblewrap } from '../../src/worker/sandbox/bubblewrap'

/** @throws Error  there is no sandbox on this machine, so nothing can be said of it; the message says what to install */
export async function needBubblewrap(): Promise<void> {
  if ('path' in (await findBubblewrap(process.env))) return
  if (process.getuid?.() === 0 && existsSync('/etc/debian_version')) install()
  const found = await findBubblewrap(process.env)
  if ('why' in found)
    throw new Error(
      `No sandbox can be had, so nothing can be said of it: ${found.why}.\n` +
        'Install bubblewrap (Debian: apt-get install bubblewrap) and see that `bwrap --unshare-user --ro-bind / / true` succeeds.',
    )
}

function install(): void {
  // Waits for another apt that is at work, instead of failing at once.
  const words = ['-q', '-y', '-o', 'DPkg::Lock::Timeout=120']
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  for (const what of [['update'], ['install', '--no-install-recommends', 'bubblewrap']])
    execFileSync('apt-get', [...words, ...what], { env, stdio: 'ignore' })
}
