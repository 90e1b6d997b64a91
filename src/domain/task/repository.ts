import { AppError } from '../errors'

/** A Git repository as a task names it: where it comes from, not where it lies on one machine. */

/** Characters of a remote. */
const MOST_REMOTE = 2_000

/**
 * Checks that a text names a remote repository that a worker may fetch: `https://…`, `ssh://…`, `user@host:path`, `file:///…`.
 *
 * @throws `invalid` it does not, or it holds a login, which would be kept
 */
export function checkRemote(given: string): string {
  const remote = given.trim()
  const refuse = (why: string, shown = ` ${JSON.stringify(remote.slice(0, 200))}`): never => {
    throw new AppError('invalid', `The repository${shown} ${why}.`, {
      hint: 'Give its remote, such as https://host/app.git, git@host:app.git or file:///srv/app.git.',
      details: { field: 'repository' },
    })
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (remote.length > MOST_REMOTE || /[^\S ]|[\u0000-\u001f\u007f]/.test(remote)) return refuse('is no remote')
  if (/^https:\/\/[^/]*@/i.test(remote) || /^ssh:\/\/[^/]*:[^/]*@/i.test(remote)) return refuse('holds a login', '')
  // Paths may have blanks, other addresses spell them `%20`.
  const isUrl = /^(https|ssh):\/\/[^/ -][^/ ]*\/[^ ]+$/i.test(remote) || /^file:\/\/\/./i.test(remote)
  // What begins with a dash would be an option of git or ssh.
  const isShort = /^[\w.][\w.-]*@[\w.][\w.-]*:(?!\/\/)[^-]/.test(remote)
  return isUrl || isShort ? remote : refuse('is no remote that a worker fetches')
}

/** Whether a text names a remote that a worker may fetch. */
export function isRemote(text: string): boolean {
  try {
    return checkRemote(text) === text
  } catch {
    return false
  }
}

/** The repository's name, as its folder would be called: `app` of `git@host:team/app.git`. */
export function remoteName(remote: string): string {
  const last =
    remote
      .replace(/[/\\]+$/, '')
      .split(/[/\\:]/)
      .at(-1) ?? ''
  return (
    last
      .replace(/\.git$/, '')
      .replace(/[^\w.-]/g, '-')
      .replace(/^[.-]+/, '')
      .slice(0, 60) || 'repository'
  )
}
