import { expect, test } from 'bun:test'
import type { KeyBinding } from '../../lib/keys/keys'
import { actionsOf, type CommandGroup, matches, matchingGroups, stepped } from './commands'

const key = (keys: string, label: string, group = 'Tasks'): KeyBinding => ({ keys, label, group, run: () => {} })

test('what keys do on a page can be done from the bar, each thing once', () => {
  const bound = [
    key('.', 'next that needs you', 'Everywhere'),
    key('n', 'new task'),
    key('j', 'next'),
    key('ArrowDown', 'next'),
    key('g t', 'go to Tree', 'Pages'),
    key('?', 'this list', 'Everywhere'),
    key('Escape', 'leave a field', 'Everywhere'),
    { ...key('m', 'send a message'), isPossible: () => false },
    { ...key('p 1', 'set the priority to P1'), isChoice: true as const },
  ]
  const labels = (all: boolean) => actionsOf(bound, all).map(({ label }) => label)
  expect(labels(false)).toEqual(['new task', 'next that needs you'])
  expect(labels(true)).toEqual(['new task', 'next', 'set the priority to P1', 'next that needs you'])
})

test('words fit in any order and case', () => {
  expect(matches({ label: 'Go to Tasks' }, 'TASKS go')).toBe(true)
  expect(matches({ label: 'Dark', detail: 'colours' }, 'colours dark')).toBe(true)
  expect(matches({ label: 'Go to Tasks' }, 'issues')).toBe(false)
  expect(matches({ label: 'Go to Tasks' }, '')).toBe(true)
})

const group = (name: string, ...ids: string[]): CommandGroup => ({
  name,
  commands: ids.map((id) => ({ id, label: id, run: () => {} })),
})

test('groups without a match are omitted', () => {
  expect(
    matchingGroups([group('A', 'rope', 'knot'), group('B', 'sail')], 'o').map(({ commands }) => commands.length),
  ).toEqual([2])
})

test('steps go over all groups and around', () => {
  const groups = [group('A', 'a', 'b'), group('B', 'c')]
  expect(stepped(groups, 'b', 1)).toBe('c')
  expect(stepped(groups, 'c', 1)).toBe('a')
  expect(stepped(groups, 'a', -1)).toBe('c')
  expect(stepped(groups, null, 1)).toBe('a')
  expect(stepped(groups, 'gone', 1)).toBe('a')
  expect(stepped([], 'a', 1)).toBeNull()
})
