import type { Client } from '../../../api/client/client'
import { AppError, isAppError } from '../../../domain/errors'
import { ID_FORMS } from './id-kinds'
import { quote } from './parse-args'

/**
 * The page of what a person named: a path of the dashboard as it is, or the id of a session, task, attempt or issue.
 *
 * @throws `invalid` for a path that is none, `not_found` for an id that nothing has, `conflict` for one that several begin with
 */
export async function pageOf(named: string, client: Client): Promise<string> {
  return named.startsWith('/') ? checkedPath(named) : pageOfId(named, client)
}

function checkedPath(path: string): string {
  // Control characters a browser leaves out, and what is like `//host` for it leads elsewhere, also where `..` makes it so.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  const isPlain = !/[\u0000-\u001f\u007f]/.test(path) && path.length <= 2_000
  const url = isPlain ? URL.parse(path, 'http://own.invalid') : null
  if (url === null || url.host !== 'own.invalid' || url.pathname.startsWith('//')) {
    throw new AppError('invalid', `${quote(path)} is not a path of the dashboard.`, {
      hint: "Use a path like /tree or '/issues?view=board'.",
    })
  }
  return url.pathname + url.search + url.hash
}

async function pageOfId(id: string, client: Client): Promise<string> {
  const looks: (() => Promise<string>)[] = [
    async () => `/issues/${encodeURIComponent((await client.issues.get(id, {})).issue.id)}`,
  ]
  if (ID_FORMS.session.test(id)) {
    looks.unshift(async () => `/sessions/${encodeURIComponent((await client.sessions.get(id)).session.id)}`)
  }
  if (/^t-[0-9a-z]+(\.\d+)?$/.test(id)) {
    looks.unshift(async () => `/tasks/${(await client.tasks.get(id.replace(/\.\d+$/, ''))).task.id}`)
  }
  for (const look of looks) {
    try {
      return await look()
    } catch (error) {
      // Not this: then the next. What several begin with is for the person to tell.
      if (!isAppError(error) || !['not_found', 'invalid'].includes(error.code)) throw error
    }
  }
  throw new AppError('not_found', `No session, task or issue has the ID ${quote(id)}.`, {
    hint: 'To open a page by its path, start it with a slash: /tree.',
  })
}
