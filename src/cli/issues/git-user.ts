import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { projectOf } from '../../util/git/git-project'
import type { Io } from '../kit/io'

/**
 * The author, as files of issues name it: `BEADS_ACTOR` or `BD_ACTOR`, git's author, `user.name` of the repository's or the user's git
 * settings, the login. Git itself is not run: it costs more than the whole command.
 */
export function actorOf({ env, cwd }: Pick<Io, 'env' | 'cwd'>): string | undefined {
  const named = env.BEADS_ACTOR || env.BD_ACTOR || env.GIT_AUTHOR_NAME
  const name = named || gitUser(env, cwd) || env.USER || env.LOGNAME
  return name?.trim().slice(0, 200) || undefined
}

function gitUser(env: Io['env'], cwd: string): string | undefined {
  const home = env.HOME
  const own = env.XDG_CONFIG_HOME || (home === undefined ? undefined : join(home, '.config'))
  const files = [
    join(projectOf(cwd).root, '.git/config'),
    ...(home === undefined ? [] : [join(home, '.gitconfig')]),
    ...(own === undefined ? [] : [join(own, 'git/config')]),
  ]
  for (const file of files) {
    const name = userName(readSmall(file))
    if (name !== undefined) return name
  }
  return undefined
}

/** `name` of the last `[user]` section that has one. */
function userName(text: string): string | undefined {
  let isUser = false
  let name: string | undefined
  for (const line of text.split('\n')) {
    const section = /^\s*\[([^\]]*)\]/.exec(line)
    if (section !== null) isUser = section[1]?.trim().toLowerCase() === 'user'
    const value = isUser ? /^\s*name\s*=\s*"?([^"#;]*)/i.exec(line)?.[1]?.trim() : undefined
    if (value) name = value
  }
  return name
}

/** At most 64 KiB of a regular file; empty when it can't be read. */
function readSmall(path: string): string {
  try {
    const found = statSync(path)
    return found.isFile() && found.size <= 65_536 ? readFileSync(path, 'utf8') : ''
  } catch {
    return ''
  }
}
