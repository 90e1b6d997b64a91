/** Databases of opencode for tests: its own tables, with rows that it wrote. */
import { Database } from 'bun:sqlite'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { JournalRef } from '../../../src/domain/harness/harness'
import type { RowJournals } from '../../../src/domain/harness/harness-database'
import type { Observation } from '../../../src/domain/record/observation'
import { opencode } from '../../../src/harness/opencode'
import { opencodeDatabase } from '../../../src/harness/opencode/rows'

export const OPENCODE_FIXTURES = join(import.meta.dir, '../../fixtures/opencode/1.18.33')

export const STORIES = ['plan', 'sub', 'compact', 'fork', 'hello'] as const
export type Story = (typeof STORIES)[number]

type Value = string | number | null
export interface FixtureRow {
  story: Story
  table: 'session' | 'message' | 'part' | 'todo'
  row: Record<string, Value>
}

export const ROWS: readonly FixtureRow[] = readFileSync(join(OPENCODE_FIXTURES, 'rows.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as FixtureRow)

export const rowsOf = (...stories: Story[]): FixtureRow[] => ROWS.filter(({ story }) => stories.includes(story))

/** The session of a story that a person began. */
export const sessionOf = (story: Story): string =>
  String(ROWS.find((each) => each.story === story && each.table === 'session')?.row.id)

/** A database as the CLI has it open: what is written stands in its log of writes. */
export class OpencodeRows implements Disposable {
  readonly root: string
  readonly db: Database
  #seq = 0

  /** @param root  its configuration folder, made when it is missing */
  constructor(root: string) {
    this.root = root
    mkdirSync(root, { recursive: true })
    this.db = new Database(join(root, 'opencode.db'))
    this.db.run('pragma journal_mode = wal')
    this.db.run('pragma wal_autocheckpoint = 0')
    this.db.run(readFileSync(join(OPENCODE_FIXTURES, 'schema.sql'), 'utf8'))
  }

  get path(): string {
    return join(this.root, 'opencode.db')
  }

  add(rows: readonly FixtureRow[]): void {
    this.db.transaction(() => {
      for (const each of rows) {
        this.insert(each)
        this.#note(String(each.row.session_id ?? each.row.id))
      }
    })()
  }

  /** Adds a row to its table alone, as releases without a list of what happened do. */
  insert({ table, row }: FixtureRow): void {
    const names = Object.keys(row)
    const marks = names.map(() => '?').join(', ')
    this.db
      .query(`insert into ${table} (${names.map((name) => `"${name}"`).join(', ')}) values (${marks})`)
      .run(...Object.values(row))
  }

  /** Changes a row as the CLI does: in its table, and in the list of what happened. */
  change(table: 'session' | 'message' | 'part', id: string, change: Record<string, Value>, now: number): void {
    const all = { ...change, time_updated: now }
    const names = Object.keys(all).map((name) => `${name} = ?`)
    this.db.transaction(() => {
      this.db.query(`update ${table} set ${names.join(', ')} where id = ?`).run(...Object.values(all), id)
      const found = this.db
        .query<{ s: string }, [string]>(
          `select ${table === 'session' ? 'id' : 'session_id'} as s from ${table} where id = ?`,
        )
        .get(id)
      this.#note(found?.s ?? '')
    })()
  }

  /** The data of a part or message, as it stands. */
  dataOf(table: 'message' | 'part', id: string): string {
    return this.db.query<{ data: string }, [string]>(`select data from ${table} where id = ?`).get(id)?.data ?? ''
  }

  #note(session: string): void {
    this.#seq++
    this.db.query('insert into event values (?, ?, ?, ?, ?)').run(`evt_${this.#seq}`, session, this.#seq, 'x', '{}')
  }

  [Symbol.dispose](): void {
    this.db.close()
  }
}

/** Looks until nothing is left to take over. @returns the journals that grew */
export async function takeAll(journals: RowJournals): Promise<string[]> {
  const paths = new Set<string>()
  for (;;) {
    const { paths: grown, isBehind } = await journals.look()
    for (const path of grown) paths.add(path)
    if (!isBehind) return [...paths].sort()
  }
}

/** Takes a folder over once. @returns the journals' folder */
export async function journalsOf(root: string, folder: string): Promise<string> {
  const journals = opencodeDatabase.open(root, folder)
  await takeAll(journals)
  journals.close()
  return folder
}

export interface Journal {
  ref: JournalRef
  bytes: Buffer
}

/** The journals below a folder, those of sessions that persons began first. */
export function journalsBelow(folder: string): Journal[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .flatMap((path) => {
      const ref = opencode.classify(path)
      return ref === null ? [] : [{ ref, bytes: readFileSync(path) }]
    })
    .sort((a, b) => Number(a.ref.kind === 'subagent') - Number(b.ref.kind === 'subagent'))
}

export const linesOf = ({ bytes }: Pick<Journal, 'bytes'>): Record<string, unknown>[] =>
  bytes
    .toString()
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** The journals of a story. */
export async function journalsOfStory(home: string, ...stories: Story[]): Promise<Journal[]> {
  using rows = new OpencodeRows(join(home, 'data', stories.join('-')))
  rows.add(rowsOf(...stories))
  return journalsBelow(await journalsOf(rows.root, folderIn(home, stories.join('-'))))
}

/** A folder of Lodeline's for the journals of a database. */
export function folderIn(home: string, name: string): string {
  const folder = join(home, 'rows/opencode', name)
  mkdirSync(dirname(folder), { recursive: true })
  return folder
}

/** Everything that journals say. @throws Error when a line is broken */
export const observe = (journals: readonly Journal[]): Observation[] =>
  journals.flatMap(({ ref, bytes }) => {
    const { observations, malformed } = opencode.parseLines(bytes, { ref, offset: 0 })
    if (malformed.length > 0) throw new Error(JSON.stringify(malformed))
    return observations
  })
