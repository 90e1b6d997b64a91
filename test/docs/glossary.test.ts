import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { allOperations } from '../../src/api/contract/operations'
import { COMMANDS } from '../../src/cli/command-table'
import type { CommandTree } from '../../src/cli/kit/command'
import { sourceFiles } from '../import-rules'
import { ROOT } from './documents'

const [nounsOnly = '', several = ''] = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8').split(
  '## Words with several meanings',
)
const rows = [...nounsOnly.matchAll(/^\| \*\*(.+?)\*\* \| .* \| (.*) \|$/gm)]
const nouns = new Set(rows.flatMap(([, names = '']) => names.toLowerCase().split(', ')))
/** Single words that the glossary avoids for something, and that are no noun of their own. */
const avoided = new Set(
  rows.flatMap(([, , words = '']) => words.split(', ')).filter((word) => /^[a-z]+$/.test(word) && !nouns.has(word)),
)
const explained = new Set([...several.matchAll(/^\| `(\w+)` \|/gm)].map(([, word = '']) => word))

/** Words of names that the glossary avoids and nowhere explains. */
const strayIn = (names: Iterable<string>): string[] =>
  [...new Set([...names].flatMap((name) => name.split(/[-_]/)))]
    .map((word) => (avoided.has(word) ? word : word.replace(/s$/, '')))
    .filter((word) => avoided.has(word) && !explained.has(word))

function commandNames(tree: CommandTree): string[] {
  return Object.entries(tree).flatMap(([name, entry]) =>
    typeof entry === 'function' ? [name] : [name, ...commandNames(entry.verbs)],
  )
}

test('the glossary is read as it is written', () => {
  expect(nouns.size).toBeGreaterThan(60)
  expect(avoided.size).toBeGreaterThan(60)
  expect(strayIn(['task-job', 'tickets', 'run'])).toEqual(['job', 'ticket'])
})

test('commands, paths and tables are named by the words of the glossary', async () => {
  const tables = readFileSync(join(ROOT, 'src/store/sql/tables.ts'), 'utf8').matchAll(/^ {2}(\w+): /gm)
  expect(strayIn(commandNames(COMMANDS))).toEqual([])
  expect(strayIn(allOperations.flatMap(({ path }) => path.split('/').filter((part) => /^[a-z]/.test(part))))).toEqual(
    [],
  )
  expect(strayIn([...tables].map(([, name = '']) => name))).toEqual([])
})

test('in the record an agent of a session is a sub-agent, and an agent id is a worker, a lead or a specialist', async () => {
  const rooms =
    /^(domain\/(record|harness)|domain\/session\/(launch|subagent)|engine\/(record|conversation|recovery)|store\/(record|session)|collector)\//
  const found = [...(await sourceFiles())]
    .filter(([path]) => rooms.test(path))
    .flatMap(([path, source]) => [...source.matchAll(/\bagentId\b.*/g)].map(([line]) => `${path}: ${line}`))
  expect(found).toEqual([])
})
