/** The sandbox as most people have it: made by a user without any right of root. */
import { beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { needBubblewrap } from '../lab/bubblewrap'

beforeAll(needBubblewrap)

/** `nobody`, who owns nothing here. */
const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--no-new-privs', '--']
/** Root's own files, and no right over others': where the repository is in a folder that root alone reads. */
const POWERLESS = ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--']

/** Words that drop every right of root, where the tests have one; a user without any runs the command as it is. */
function asUser(): string[] {
  if (process.getuid?.() !== 0) return []
  const canRead = Bun.spawnSync([...NOBODY, process.execPath, '--version']).exitCode === 0
  return canRead ? NOBODY : POWERLESS
}

test('a run of the real CLI for a plain user is bounded as one for root is', async () => {
  // From the tests' own environment, what names files of root is left out.
  const home = mkdtempSync('/tmp/ld-')
  const child = Bun.spawn([...asUser(), process.execPath, '--no-env-file', join(import.meta.dir, 'user-child.ts')], {
    cwd: '/',
    env: { PATH: process.env.PATH ?? '', HOME: home },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [said, wrong] = await Promise.all([child.stdout.text(), child.stderr.text()])
  rmSync(home, { recursive: true })
  expect([await child.exited, wrong]).toEqual([0, ''])
  const expected = {
    rights: '0000000000000000',
    output: 'Tried all.',
    notRefused: [],
    isPrivate: true,
    isMade: true,
    left: [],
  }
  expect(JSON.parse(said)).toEqual(expected)
})
