import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createIssueFiles, type IssueFilesOptions } from '../../src/app/issue-files/issue-files'
import type { IssueId } from '../../src/domain/ids'
import type { ShownIssue, StoredIssue } from '../../src/domain/issue/issue-store'
import type { Store } from '../../src/domain/store'
import type { Caller } from '../../src/domain/task/worker-protocol'
import type { CreateIssue } from '../../src/engine/issues/issue-inputs'
import type { IssueService } from '../../src/engine/issues/issue-service'
import { createIssueService } from '../../src/engine/issues/issue-service'
import { emptyRepository } from '../lab/empty-repository'

export const OPERATOR: Caller = { kind: 'operator' }

/** A project's folder with the real use cases over a store, and short words for what tests do again and again. */
export class TrackerLab {
  readonly dir: string
  readonly store: Store
  readonly service: IssueService
  now = Date.parse('2026-03-01T12:00:00.000Z')
  writes: 'always' | 'sync' = 'always'

  constructor(store: Store, dir = mkdtempSync('/tmp/ld-issues-'), more: Partial<IssueFilesOptions> = {}) {
    this.dir = dir
    this.store = store
    emptyRepository(dir)
    this.service = createIssueService({
      store,
      files: createIssueFiles({ hostName: 'host-1', home: join(dir, 'no-home'), bd: [], ...more }),
      now: () => this.now++,
      writes: () => this.writes,
    })
  }

  get scope() {
    return { dir: this.dir, actor: 'me' }
  }

  path(name = '.lodeline/issues.jsonl'): string {
    return join(this.dir, name)
  }

  text(name?: string): string {
    return readFileSync(this.path(name), 'utf8')
  }

  write(text: string, name?: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true })
    writeFileSync(this.path(name), text)
  }

  /** The file's issues by id, as JSON says them. */
  lines(name?: string): Map<string, Record<string, unknown>> {
    const lines = this.text(name)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    return new Map(lines.map((line) => [String(line.id), line]))
  }

  async create(input: Partial<CreateIssue> = {}): Promise<IssueId> {
    const { ids } = await this.service.create(OPERATOR, this.scope, { title: 'something', ...input }, null)
    return ids[0] as IssueId
  }

  async issue(id: string): Promise<StoredIssue> {
    const { tracker } = await this.service.resolveScope(OPERATOR, this.scope)
    const [found] = await this.store.issues.find(tracker, id as IssueId)
    if (found === undefined) throw new Error(`no issue ${id}`)
    return found
  }

  async list(): Promise<ShownIssue[]> {
    const { tracker } = await this.service.resolveScope(OPERATOR, this.scope)
    return (await this.store.issues.list(tracker, { all: true }, { limit: 10_000 }, 'id')).rows
  }

  async ready(): Promise<IssueId[]> {
    const { tracker } = await this.service.resolveScope(OPERATOR, this.scope)
    return (await this.store.issues.ready(tracker, {}, 100, this.now)).map(({ id }) => id)
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true })
  }
}

export async function refused(call: Promise<unknown>): Promise<{ code: string; message: string; details?: unknown }> {
  try {
    await call
  } catch (thrown) {
    return thrown as { code: string; message: string }
  }
  throw new Error('it was not refused')
}
