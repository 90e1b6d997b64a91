/** What removes and updates the program, by the way it came. */
import { join } from 'node:path'
import { shellLine } from '../../util/shell-words'
import type { Installation } from './installation'

/** The command that removes the program; `null` = there is none. */
export function removeCommand(installation: Installation): string | null {
  switch (installation.way) {
    case 'npm':
      return shellLine(['npm', 'uninstall', '--global', '--prefix', installation.prefix, 'lodeline'])
    case 'homebrew':
      return 'brew uninstall lodeline'
    case 'script': {
      const { prefix } = installation
      return shellLine(['rm', '-r', join(prefix, 'share/lodeline'), join(prefix, 'bin/lode')])
    }
    case 'machine':
    case 'file':
      return shellLine(['rm', installation.path])
    // A repository may hold work of its owner; the others leave nothing.
    case 'repository':
    case 'npx':
    case 'image':
      return null
  }
}
