import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { COMMANDS, HIDDEN_COMMANDS } from '../../src/cli/command-table'
import { GLOBAL_OPTIONS } from '../../src/cli/kit/arguments/global-options'
import { parseArgs } from '../../src/cli/kit/arguments/parse-args'
import type { Command, CommandTree } from '../../src/cli/kit/command'
import { LODE_WORDS } from '../lode-command'
import { blocks, documents, lodeCalls, prose, ROOT } from './documents'

const all = documents()
const shellBlocks = all.flatMap(blocks).filter((block) => /^sh\b/.test(block.language))
const TREE: CommandTree = { ...COMMANDS, ...HIDDEN_COMMANDS }

/** The command that words name, its path, and the words behind it; no command where they name a group, or nothing. */
async function find(words: string[]): Promise<{ path: string; command?: Command; rest: string[] }> {
  let verbs = TREE
  let path = 'lode'
  for (const [i, word] of words.entries()) {
    const entry = Object.hasOwn(verbs, word) ? verbs[word] : undefined
    if (entry === undefined) return { path, rest: words.slice(i) }
    path += ` ${word}`
    if (typeof entry === 'function') return { path, command: (await entry()).command, rest: words.slice(i + 1) }
    verbs = entry.verbs
  }
  return { path, rest: [] }
}

describe('every command line of the documents', () => {
  const lines = shellBlocks.flatMap((block) => block.lines.map((line) => [block.document, line] as const))
  const calls = lines.flatMap(([document, line]) => lodeCalls(line).map((words) => [document, words] as const))

  test('is found: the documents show how to use Lodeline', () => {
    expect(calls.length).toBeGreaterThan(100)
    expect(lodeCalls(`echo 'x | lode no' | lode todo sync --dir "a b" # lode no`)).toEqual([
      ['todo', 'sync', '--dir', 'a b'],
    ])
  })

  test.each(calls)('of %s is taken by its own parser: lode %p', async (_, words) => {
    const { path, command, rest } = await find(words)
    // `lode` alone is the first screen, or the status.
    if (command === undefined && words.length === 0) return
    if (command === undefined) throw new Error(`There is no command 'lode ${words.join(' ')}'.`)
    expect(() => parseArgs(rest, { path, args: command.args ?? [], options: command.options ?? {} })).not.toThrow()
  })

  const spans = all
    .flatMap((document) => [...prose(document).matchAll(/`(lode [^`]+)`/g)].map((match) => [document.path, match[1]]))
    .map(([document = '', span = '']) => [document, span.replaceAll('\n', ' ')] as const)

  test.each(spans)('within a sentence of %s names a command and options that are there: %s', async (_, span) => {
    const words = lodeCalls(span)[0] ?? []
    const { path, command, rest } = await find(words)
    // `lode COMMAND` and `lode --help` speak of no command.
    if (path === 'lode') expect(rest[0]).toMatch(/^(--?[a-z]|[A-Z<])/)
    const options = rest.flatMap((word) => /^--([a-z-]+)/.exec(word)?.[1] ?? [])
    for (const name of options) expect({ ...GLOBAL_OPTIONS, ...command?.options, demo: 0 }).toHaveProperty(name)
  })
})

/** Needs no server, no agent's CLI and no record: a fresh home and an empty repository. */
const runnable = shellBlocks.filter((block) => block.language === 'sh run')

describe('a block that says `run`', () => {
  const bin = mkdtempSync(join(tmpdir(), 'ld-bin-'))
  writeFileSync(join(bin, 'lode'), `#!/bin/sh\nexec ${LODE_WORDS} "$@"\n`, { mode: 0o755 })
  afterAll(() => rmSync(bin, { recursive: true }))

  test.each(runnable.map((block) => [block.document, block.lines[0] ?? '', block] as const))(
    'of %s runs from a fresh home: %s …',
    async (_, __, block) => {
      const folder = mkdtempSync(join(tmpdir(), 'ld-docs-'))
      try {
        const project = join(folder, 'project')
        mkdirSync(project)
        const env = {
          PATH: `${bin}:${join(ROOT, 'node_modules/.bin')}:/usr/local/bin:/usr/bin:/bin`,
          HOME: folder,
          LODELINE_HOME: join(folder, 'home'),
          GIT_CONFIG_GLOBAL: '/dev/null',
        }
        const run = (script: string) => Bun.spawn(['/bin/sh', '-ec', script], { cwd: project, env, stderr: 'pipe' })
        await run('git init -q').exited
        const ran = run(block.lines.join('\n'))
        const said = await new Response(ran.stderr).text()
        expect([await ran.exited, said.includes('Error')]).toEqual([0, false])
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  )
  test('is in most pages of the guide', () => {
    expect(new Set(runnable.map((block) => block.document)).size).toBeGreaterThan(6)
  })
})
