import { describe, expect, test } from 'bun:test'
import { AppError } from '../../domain/errors'
import type { Context } from '../kit/context'
import { fakeIo } from '../kit/fake-io'
import { session } from '../views/fixtures'
import { callingSession, checkedSession, needCallingSession } from './calling-session'

/** A context whose record has these sessions, and of a run its attempts. */
function context(env: Record<string, string>, live: string[], ownSession: string | null = null): Context {
  const sessions = live.map((id) => session({ id: session().id, ...({ id } as object) }))
  const client = {
    sessions: { list: async ({ status }: { status?: string[] }) => ({ sessions: status ? sessions : [session()] }) },
    tasks: {
      get: async () => {
        if (ownSession === null) throw new AppError('forbidden', 'no')
        return { attempts: [{ id: 't-1.1', isLive: true, conversation: { sessionId: ownSession } }] }
      },
    },
  }
  return { io: fakeIo({ env, cwd: '/tmp' }), client: async () => client } as unknown as Context
}
const run = {
  LODELINE_TOKEN: 't',
  LODELINE_URL: 'http://127.0.0.1:1',
  LODELINE_TASK_ID: 't-1',
  LODELINE_ATTEMPT_ID: 't-1.1',
}
const all = { ...run, CLAUDE_CODE_SESSION_ID: 'of-cli', LODELINE_SESSION_ID: 'of-hook' }

describe('the calling session', () => {
  test('is the one that is named, else the run’s, the CLI’s, the hook’s, the only one here', async () => {
    const who = async (from: Context, named?: string) => (await callingSession(from, named))?.id ?? null
    expect(await who(context(all, ['lives'], 'of-run'), 'named')).toBe('named')
    expect(await who(context(all, ['lives'], 'of-run'))).toBe('of-run')
    expect(await who(context(all, ['lives']))).toBe('of-cli')
    expect(await who(context({ LODELINE_SESSION_ID: 'of-hook' }, ['lives']))).toBe('of-hook')
    expect(await who(context({}, ['lives']))).toBe('lives')
    expect(await who(context({}, ['one', 'two']))).toBeNull()
    expect(await who(context({ CLAUDE_CODE_SESSION_ID: '../x' }, ['lives']), '')).toBe('lives')
  })

  test('that can not be told is an error which lists who could be meant', async () => {
    const error = async (live: string[]) => {
      try {
        await needCallingSession(context({}, live), undefined)
      } catch (thrown) {
        if (thrown instanceof AppError) return thrown
      }
      throw new Error('was not refused')
    }
    const several = await error(['one', 'two'])
    expect(several).toMatchObject({ code: 'conflict', message: '2 sessions are live in this folder.' })
    expect(several.hint).toContain('\none running 2s Fix the login redirect\ntwo running')
    expect(several.details).toMatchObject({ candidates: [{ id: 'one', status: 'running' }, { id: 'two' }] })
    expect(await error([])).toMatchObject({ code: 'not_found', details: { candidates: [{ id: session().id }] } })
  })

  test('has an id that names no path and no command of a terminal', () => {
    expect(checkedSession('3f2a9c1e-5b1d')).toBe('3f2a9c1e-5b1d')
    for (const id of ['..', '.', '../x', 'a/b', 'a\u0000', '\u001b[2J', 'x'.repeat(201), ''])
      expect(() => checkedSession(id)).toThrow('is not a valid session ID')
  })
})
