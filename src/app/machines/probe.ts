import { AppError } from '../../domain/errors'
import { systemOf } from '../install/systems'
import type { Ssh } from './ssh'

/** Where the executable is put, below the home folder of the machine's user: as the install script does. */
export const REMOTE_LODE = '.local/share/lodeline/bin/lode'

/** What a machine says of itself. */
export interface Probed {
  /** As a release names it. */
  system: string
  /** The digest of the executable that is there, in hex; '' = there is none. */
  sha256: string
}

const SCRIPT = `
tell() { printf 'lodeline:%s=%s\\n' "$1" "$2"; }
tell os "$(uname -s)"
tell cpu "$(uname -m)"
musl=
for file in /lib/ld-musl-*; do [ -e "$file" ] && musl=1; done
tell musl "$musl"
cd || exit 3
if [ -e ${REMOTE_LODE} ]; then
  sum=$( (sha256sum ${REMOTE_LODE} || shasum -a 256 ${REMOTE_LODE}) 2>/dev/null)
  tell sha256 "\${sum%% *}"
fi
tell end 1
`

/** @throws `unavailable` it does not answer as expected, or a release has nothing for it; as `Ssh.run` */
export async function probe(ssh: Ssh): Promise<Probed> {
  const { stdout, stderr, exitCode } = await ssh.run(SCRIPT)
  const said = new Map(
    [...stdout.matchAll(/^lodeline:(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
  const { destination } = ssh.place
  if (said.get('end') !== '1')
    throw new AppError(
      'unavailable',
      `${destination} does not run a shell script: exit code ${exitCode}. ${stderr.trim()}`,
      {
        hint: 'The user needs a shell and a home folder there.',
      },
    )
  const [os = '', cpu = ''] = [said.get('os'), said.get('cpu')]
  const system = systemOf(os, cpu, said.get('musl') === '1')
  if (system === null)
    throw new AppError('unavailable', `Lodeline has no executable for ${os} ${cpu} of ${destination}.`)
  return { system, sha256: said.get('sha256') ?? '' }
}
