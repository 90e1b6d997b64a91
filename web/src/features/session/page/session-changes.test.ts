import { expect, test } from 'bun:test'
import { toolUseId } from '#domain/ids'
import { byFile, inOrder, type SessionChange, shortPath } from './session-changes'

const change = (id: string, files: string[], told: string[] = files): SessionChange => ({
  ...{ toolUseId: toolUseId(id), subagentId: null, eventId: null, at: null, files },
  patches: told.map((path) => ({
    kind: 'patch' as const,
    path,
    hunks: [{ oldStart: 1, newStart: 1, lines: [`+${id}`] }],
  })),
})

test('changes of a file are joined in the order of time, whoever made them', () => {
  const all = [change('one', ['/p/a']), change('two', ['/p/b', '/p/a']), change('three', ['/p/a'])]
  expect(byFile(all).map(({ path, changes }) => [path, changes.map((one) => one.change.toolUseId as string)])).toEqual([
    ['/p/a', ['one', 'two', 'three']],
    ['/p/b', ['two']],
  ])
})

test('a file of which no patch tells is named all the same, and once', () => {
  expect(
    inOrder([change('one', ['/p/src/a', '/p/b'], ['src/a'])]).map(({ path, hunks }) => [path, hunks !== null]),
  ).toEqual([
    ['src/a', true],
    ['/p/b', false],
  ])
})

test('a path is written from the session’s folder on', () => {
  expect([shortPath('/p/src/a', '/p'), shortPath('/q/a', '/p'), shortPath('/pp/a', '/p')]).toEqual([
    'src/a',
    '/q/a',
    '/pp/a',
  ])
})
