import { expect, test } from 'bun:test'
import { issuesMeant } from './task-issue'

const file = (folder: string) => `${folder}/.lodeline/issues.jsonl`
/** Folders of the trackers whose issue a task means. @param folders  of the trackers that have its id */
const meant = (place: { dir?: string; project?: string }, ...folders: (string | null)[]) =>
  issuesMeant(
    { dir: null, project: null, ...place },
    folders.map((folder) => ({ folder, path: folder === null ? null : file(folder) })),
  ).map(({ folder }) => folder)

test('a task means the issue of the tracker nearest around its folder', () => {
  expect(meant({ dir: '/a' }, '/a', '/b')).toEqual(['/a'])
  expect(meant({ dir: '/a/x/y' }, '/a', '/a/x', '/b')).toEqual(['/a/x'])
  expect(meant({ dir: '/a/x' }, '/', '/b')).toEqual(['/'])
  expect(meant({ dir: '/ab' }, '/a', '/b')).toEqual([])
})

test('the folder asked for counts before the project, and the project where no tracker is around the folder', () => {
  expect(meant({ dir: '/b', project: '/a' }, '/a', '/b')).toEqual(['/b'])
  expect(meant({ dir: '/worktrees/1', project: '/a' }, '/a', '/b')).toEqual(['/a'])
  expect(meant({ project: '/a' }, '/a/part', '/b')).toEqual(['/a/part'])
  expect(meant({ project: '/a' }, '/a/part', '/a/other')).toEqual([])
})

test('an id that one tracker alone has means that one, wherever the task works; of several elsewhere none is meant', () => {
  expect(meant({ dir: '/c' }, '/a')).toEqual(['/a'])
  expect(meant({}, null)).toEqual([null])
  expect(meant({ dir: '/c' }, '/a', '/b')).toEqual([])
  expect(meant({}, '/a', null)).toEqual([])
})

test('machines that keep a tracker in the same folder have both, whatever the files are called', () => {
  const paths = ['/a/.lodeline/issues.jsonl', '/a/.beads/beads.jsonl', '/b/.beads/issues.jsonl']
  const found = issuesMeant({ dir: '/a', project: null }, [...paths.map((path) => ({ path }))])
  expect(found.map(({ path }) => path)).toEqual(paths.slice(0, 2))
})
