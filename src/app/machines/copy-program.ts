import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../domain/errors'
import { type Probed, REMOTE_LODE } from './probe'
import type { Ssh } from './ssh'

/**
 * Puts the executable onto the machine, whole or not at all, with a link in `~/.local/bin`. Where the same one is there, nothing is sent.
 *
 * @returns whether it was sent
 * @throws `unavailable` it did not arrive, or does not run there
 */
export async function copyProgram(ssh: Ssh, { sha256 }: Probed, path: string): Promise<boolean> {
  const file = Bun.file(path)
  const digest = await digestOf(file)
  const { destination } = ssh.place
  if (digest !== sha256) {
    const draft = `${REMOTE_LODE}.${digest.slice(0, 12)}`
    // No quotes, and no signs that shells read in different ways: the login shell may be any.
    const made = await ssh.feed(`mkdir -p ${dirname(REMOTE_LODE)} && cat > ${draft}`, file)
    const ended = await ssh.run(putInPlace(draft, file.size))
    if (made.exitCode !== 0 || ended.exitCode !== 0)
      throw new AppError(
        'unavailable',
        `The program did not get onto ${destination}: ${(made.stderr || ended.stderr).trim().split('\n')[0]}`,
        { hint: 'Look at the free space and the rights of ~/.local/share/lodeline there, then run this again.' },
      )
  }
  const tried = await ssh.run(`cd && exec ${REMOTE_LODE} version`)
  if (tried.exitCode !== 0)
    throw new AppError(
      'unavailable',
      `The program does not run on ${destination}: ${tried.stderr.trim().split('\n')[0]}`,
      {
        hint: 'Name an executable for that machine with --executable FILE.',
      },
    )
  return digest !== sha256
}

/** An interrupted connection leaves a shorter file, which is never the program. */
const putInPlace = (draft: string, size: number): string => `
cd || exit 3
if [ "$(wc -c < ${draft} | tr -d ' ')" != ${size} ]; then rm -f ${draft}; echo 'only a part of it arrived' >&2; exit 4; fi
chmod 755 ${draft} && mv -f ${draft} ${REMOTE_LODE} || exit 5
printf 'machine\\n' > ${dirname(dirname(REMOTE_LODE))}/installed-by
mkdir -p .local/bin
[ -e .local/bin/lode ] || ln -s ../share/lodeline/bin/lode .local/bin/lode
`

async function digestOf(file: ReturnType<typeof Bun.file>): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const bytes of file.stream()) hash.update(bytes)
  return hash.digest('hex')
}

/** @throws `invalid` it is no file that can be run */
export function checkExecutable(path: string): string {
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
  if (isFile) return path
  throw new AppError('invalid', `${path} is no file.`, { hint: 'Name the executable of Lodeline for that machine.' })
}
