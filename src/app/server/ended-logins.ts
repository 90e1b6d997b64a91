import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EndedLogins } from '../../api/server/callers/cookie'
import { appendLine } from '../../util/append-line'

const LINE = /^([\w-]{22}) ([0-9]{1,15})$/

/**
 * The logins that somebody ended, kept in the file `logins-ended` of Lodeline's folder so that a restart does not bring them back. Its
 * lines are `<nonce> <milliseconds>`: until when the cookie would have been good. It grows by 40 bytes with each logging out.
 */
export function endedLogins(home: string, now: () => number = Date.now): EndedLogins {
  const path = join(home, 'logins-ended')
  const ended = new Set(
    readLines(path).flatMap((line) => {
      const [, nonce, until] = LINE.exec(line) ?? []
      return nonce === undefined || Number(until) <= now() ? [] : [nonce]
    }),
  )
  return {
    has: (nonce) => ended.has(nonce),
    add(nonce, until) {
      // Whatever becomes of the file, it is over in this process.
      ended.add(nonce)
      appendLine(path, Buffer.from(`${nonce} ${until}\n`))
    },
  }
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
