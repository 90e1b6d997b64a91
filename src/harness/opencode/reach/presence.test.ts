import { expect, test } from 'bun:test'
import { sessionIn } from './presence'

test('the words of a process name the session that it goes on with, and no other', () => {
  const id = 'ses_20a0Zz'
  for (const words of [['-s', id], ['--session', id], [`--session=${id}`], [`-s${id}`], ['run', '-s', id, 'text']])
    expect([words, sessionIn(['opencode', ...words])]).toEqual([words, id])
  for (const words of [[], ['run', id], ['-s'], ['-s', '../x'], ['-s', id, '--fork']])
    expect([words, sessionIn(['opencode', ...words])]).toEqual([words, null])
})
