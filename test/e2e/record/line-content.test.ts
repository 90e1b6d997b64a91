/** What the real CLI writes of edits, new files, notebooks and images, as the server tells it: rows by number, and each line whole. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Answers } from '../../../src/api/contract/operations'
import { OUTER_CLIS } from '../../lab/claude'
import { type LabWith, openLab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { settled } from './record'

const POEM = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n'
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const BOOK = {
  cells: [
    {
      cell_type: 'code',
      id: 'first',
      metadata: {},
      outputs: [],
      execution_count: null,
      source: ['print(1)\n', 'print(2)'],
    },
  ],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
}

for (const version of OUTER_CLIS) {
  describe(`Claude Code ${version}`, () => {
    let lab: LabWith<'claude'>
    let lodeline: Lode
    const id = crypto.randomUUID()
    let rows: Answers['sessions']['rows']
    let lines: Map<string, Answers['sessions']['content']>

    beforeAll(async () => {
      lab = await openLab({ claude: { version, script: 'edits' } })
      lodeline = lab.addLode('a', { claudeRoots: [lab.claude.claudeRoot] })
      await lodeline.up()
      writeFileSync(join(lab.claude.project, 'poem.txt'), POEM)
      writeFileSync(join(lab.claude.project, 'dot.png'), Buffer.from(DOT, 'base64'))
      writeFileSync(join(lab.claude.project, 'book.ipynb'), JSON.stringify(BOOK))
      const prompt = `change the files in ${lab.claude.project}`
      const run = await lab.claude.run({ prompt, sessionId: id, args: ['--permission-mode', 'acceptEdits'] })
      expect([run.exitCode, run.stderr]).toEqual([0, ''])
      await settled(lodeline.client, lab.claude.transcripts, id)
      rows = await lodeline.client.sessions.rows(id, { limit: 500 })
      lines = new Map()
      for (const { event } of rows.rows) lines.set(event.id, await lodeline.client.sessions.content(id, event.id))
    })

    afterAll(() => lab?.stop(), 30_000)

    /** Blocks of the call or of the answer with this id. */
    const blocks = (kind: 'tool' | 'answer', call: number): unknown[] => {
      const name = `toolu_${`${call}`.padStart(6, '0')}`
      const row = rows.rows.find((each) => each.kind === kind && each.call?.id === name)
      return (row && lines.get(row.event.id)?.blocks) ?? []
    }
    const patch = (name: string, hunks: unknown[]) => ({ kind: 'patch', path: join(lab.claude.project, name), hunks })

    test('rows are the lines in order, calls with their outcome', () => {
      expect(rows.rows.map(({ number }) => number)).toEqual(rows.rows.map((_, i) => i))
      expect(rows.total).toBe(rows.rows.length)
      const calls = rows.rows.filter(({ kind }) => kind === 'tool').map(({ call }) => [call?.name, call?.isError])
      expect(calls).toEqual([
        ['Read', false],
        ['Read', false],
        ['Read', false],
        ['Edit', false],
        ['Write', false],
        ['NotebookEdit', false],
        ['Write', false],
        ['Edit', true],
      ])
    })

    test('an edit is a patch beside the call, and with its place in the file beside the answer', () => {
      const path = join(lab.claude.project, 'poem.txt')
      const change = [' two', '-three', '+THREE', '+three and a half', ' four']
      expect(blocks('tool', 5)).toEqual([
        {
          kind: 'call',
          toolUseId: 'toolu_000005',
          name: 'Edit',
          input: {
            replace_all: false,
            file_path: path,
            old_string: 'two\nthree\nfour',
            new_string: 'two\nTHREE\nthree and a half\nfour',
          },
        },
        patch('poem.txt', [{ oldStart: 0, newStart: 0, lines: change }]),
      ])
      const [answer, recorded] = blocks('answer', 5)
      expect(answer).toMatchObject({ kind: 'answer', toolUseId: 'toolu_000005', isError: false, images: [] })
      expect(recorded).toEqual(
        patch('poem.txt', [{ oldStart: 1, newStart: 1, lines: [' one', ...change, ' five', ' six'] }]),
      )
      // One that failed changed nothing.
      expect(blocks('answer', 10)).toMatchObject([{ kind: 'answer', isError: true }])
    })

    test('a new file, one written anew and a cell of a notebook are patches', () => {
      const lines = ['+a new', '+file']
      expect(blocks('answer', 6)[1]).toEqual(patch('new.txt', [{ oldStart: 0, newStart: 1, lines }]))
      expect(blocks('answer', 9)[1]).toEqual(
        patch('new.txt', [{ oldStart: 1, newStart: 1, lines: ['-a new', '+a newer', ' file'] }]),
      )
      expect(blocks('answer', 7)[1]).toEqual(
        patch('book.ipynb', [{ oldStart: 0, newStart: 0, lines: [' print(1)', '-print(2)', "+print('two')"] }]),
      )
    })

    test('an image that was read is in the answer', () => {
      expect(blocks('answer', 2)).toEqual([
        {
          kind: 'answer',
          toolUseId: 'toolu_000002',
          isError: false,
          text: '',
          images: [{ mediaType: 'image/png', base64: DOT }],
        },
      ])
    })

    test('the command shows the parts, and the line itself with --json', async () => {
      const row = rows.rows.find((each) => each.kind === 'answer' && each.call?.id === 'toolu_000005')
      const event = row?.event.id ?? ''
      const shown = await lodeline.lode('event', 'show', id.slice(0, 8), event)
      expect([shown.exitCode, shown.stderr]).toEqual([0, ''])
      expect(shown.stdout).toContain(
        `[patch ${join(lab.claude.project, 'poem.txt')}]\n@@ -1,6 +1,7 @@\n one\n two\n-three\n`,
      )
      const whole = await lodeline.json<{ line: { text: string }; content: unknown }>('event', 'show', id, event)
      expect(JSON.parse(whole.line.text)).toMatchObject({ uuid: event })
      expect(whole.content).toEqual({ blocks: lines.get(event)?.blocks, isCut: false })
    })

    test('an event that is not there, and an id that is none, are told so', async () => {
      const failed = async (...args: string[]) => {
        const { exitCode, stderr } = await lodeline.lode('event', 'show', id, ...args)
        return [exitCode, stderr.split('\n')[0]]
      }
      const nobody = crypto.randomUUID()
      expect(await failed(nobody)).toEqual([expect.any(Number), expect.stringContaining(`has no event ${nobody}`)])
      expect((await failed('../../x'))[0]).not.toBe(0)
    })
  })
}
