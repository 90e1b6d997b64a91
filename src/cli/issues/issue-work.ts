import type { Client } from '../../api/client/client'
import type { Answers } from '../../api/contract/operations'
import { AppError } from '../../domain/errors'
import { compareWords, wordsOf } from '../../domain/similarity'
import type { Todo } from '../../domain/todo/todo-item'
import type { Context } from '../kit/context'
import { surelyCalling } from '../sessions/calling-session'
import type { IssueWork, Overlap } from '../views/issue-views'
import type { Scope } from './issue-call'

type Found = Answers['links']['ofIssue']['sessions'][number]

/** Open items of one session that are held against those of others: a list of a thousand would take seconds. */
const COMPARED = 100
/** Two items are the same work from here on; the examples are in `domain/similarity.test.ts`. */
const SAME_WORK = 0.65

/** What the sessions are at that work on the issue or did; those at work first. Empty where the record has none of it. */
export async function workOn(client: Client, issue: string, { dir }: Pick<Scope, 'dir'>): Promise<IssueWork[]> {
  try {
    const linked = await client.links.ofIssue(issue, dir === undefined ? {} : { dir })
    // The claim reports a holder that has nothing in the record.
    const sessions = linked.sessions.filter(({ session, todos }) => session.status !== null || todos.length > 0)
    const live = sessions.filter(isAtWork)
    return sessions.map((one) => ({
      sessionId: one.session.id,
      agent: one.session.agent,
      title: one.session.title,
      status: one.session.status ?? 'unknown',
      evidence: one.evidence.map(({ source }) => source),
      startedAt: one.session.startedAt,
      lastEventAt: one.session.lastEventAt,
      ...one.progress,
      todos: one.todos,
      overlaps: live.includes(one) ? overlapsOf(one, live) : [],
    }))
  } catch (thrown) {
    // A run's token may not see the sessions of others.
    if (thrown instanceof AppError && (thrown.code === 'not_found' || thrown.code === 'forbidden')) return []
    throw thrown
  }
}

/** Notes for the suggestion to link that the calling session looked at the issue. What fails here keeps nobody from reading. */
export async function noteSeen(context: Context, client: Client, issue: string, scope: Scope): Promise<void> {
  try {
    const calling = await surelyCalling(context, scope.sessionId)
    const { sessionId: _, ...where } = scope
    if (calling !== null) await client.links.saw(calling.id, issue, where)
  } catch {
    // Only a suggestion is lost.
  }
}

const isAtWork = ({ session: { status } }: Found): boolean =>
  status === 'running' || status === 'waiting' || status === 'idle'

const isOpen = ({ status, takenBy }: Todo): boolean =>
  (status === 'pending' || status === 'in_progress') && takenBy === null

function overlapsOf(one: Found, live: readonly Found[]): Overlap[] {
  if (live.length < 2) return []
  const own = wordsOfOpen(one)
  return live.flatMap((other) => {
    const theirs = other === one ? [] : wordsOfOpen(other)
    return own.flatMap(({ id, words }) => {
      // Sessions that share a list have the same items, not others like them.
      const like = theirs.find((todo) => todo.id !== id && compareWords(todo.words, words) >= SAME_WORK)
      return like === undefined ? [] : [{ todoId: id, sessionId: other.session.id, otherTodoId: like.id }]
    })
  })
}

const wordsOfOpen = ({ todos }: Found) =>
  todos
    .filter(isOpen)
    .slice(0, COMPARED)
    .map(({ id, content }) => ({ id, words: wordsOf(content) }))
