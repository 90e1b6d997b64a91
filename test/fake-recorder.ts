import { readFileSync } from 'node:fs'
import type { CollectorLog } from '../src/collector/options'
import type { JournalRef } from '../src/domain/harness/harness'
import type { HarnessFiles } from '../src/domain/harness/harness-files'
import type { FileOutcome, Recorder } from '../src/domain/record/recorder'

/**
 * A recorder for tests that remembers each file as it last saw it, and lets a test wait for what it was asked.
 */
export class FakeRecorder implements Recorder {
  /** Content by path, as last recorded; a file recorded as gone is not here. */
  readonly contents = new Map<string, string>()
  readonly calls: { call: 'file' | 'gone'; path: string }[] = []
  /** Most calls for one file, and for all, that ran at the same time. */
  mostPerFile = 0
  mostAtOnce = 0
  /** Called before each answer; may throw or wait. */
  before: (ref: JournalRef) => void | Promise<void> = () => {}
  /** Called with what a file held when it was recorded. */
  onContent: (ref: JournalRef, text: string) => void = () => {}
  readonly #running = new Map<string, number>()
  #waiters: { isSo: () => boolean; resolve: () => void }[] = []

  async recordFile(ref: JournalRef): Promise<FileOutcome> {
    return this.#track(ref, 'file', () => {
      const outcome: FileOutcome = {
        path: ref.path,
        state: 'grown',
        bytesAdded: 0,
        eventsAdded: 0,
        malformedAdded: 0,
        sessionId: ref.sessionId,
        newSessionIds: [],
        pendingBytes: 0,
      }
      try {
        const text = readFileSync(ref.path, 'utf8')
        outcome.bytesAdded = text.length - (this.contents.get(ref.path)?.length ?? 0)
        this.contents.set(ref.path, text)
        this.onContent(ref, text)
      } catch {
        outcome.state = 'missing'
      }
      return outcome
    })
  }

  async recordGone(ref: JournalRef): Promise<void> {
    return this.#track(ref, 'gone', () => {
      this.contents.delete(ref.path)
    })
  }

  async #track<T>(ref: JournalRef, call: 'file' | 'gone', answer: () => T): Promise<T> {
    const running = (this.#running.get(ref.path) ?? 0) + 1
    this.#running.set(ref.path, running)
    this.mostPerFile = Math.max(this.mostPerFile, running)
    this.mostAtOnce = Math.max(
      this.mostAtOnce,
      [...this.#running.values()].reduce((sum, n) => sum + n, 0),
    )
    this.calls.push({ call, path: ref.path })
    queueMicrotask(() => this.#wake())
    try {
      await this.before(ref)
      return answer()
    } finally {
      this.#running.set(ref.path, running - 1)
      queueMicrotask(() => this.#wake())
    }
  }

  /** Resolves when `isSo` holds; looked at as each call begins and ends. */
  until(isSo: () => boolean): Promise<void> {
    if (isSo()) return Promise.resolve()
    return new Promise((resolve) => this.#waiters.push({ isSo, resolve }))
  }

  /** Resolves when the file is recorded with this content; `null` = as gone, or never. */
  untilContent(path: string, text: string | null): Promise<void> {
    return this.until(() => (this.contents.get(path) ?? null) === text)
  }

  #wake(): void {
    const waiters = this.#waiters
    this.#waiters = waiters.filter(({ isSo }) => !isSo())
    for (const waiter of waiters) if (!this.#waiters.includes(waiter)) waiter.resolve()
  }
}

/** Any `<session>.jsonl` is a transcript; `agent-<id>.jsonl` and `.meta.json` are a sub-agent's, of the session that their folder names. */
export const fakeHarness: Pick<HarnessFiles, 'folders' | 'needsHead' | 'classify'> = {
  folders: ['projects', 'tasks', 'todos'],
  needsHead: false,
  classify(path) {
    const agent = /([^/]+)\/subagents\/agent-([^/.]+)\.(jsonl|meta\.json)$/.exec(path)
    if (agent !== null) {
      const kind = agent[3] === 'jsonl' ? 'subagent' : 'subagent_meta'
      return { agent: 'claude-code', kind, path, sessionId: agent[1] ?? null, subagentId: agent[2] ?? null }
    }
    const main = /\/([^/]+)\.jsonl$/.exec(path)
    return main === null
      ? null
      : { agent: 'claude-code', kind: 'transcript', path, sessionId: main[1] ?? null, subagentId: null }
  },
}

/** Keeps what was logged. */
export function fakeLog(): CollectorLog & { lines: string[] } {
  const lines: string[] = []
  return { lines, info: (message) => lines.push(message), warn: (message) => lines.push(message) }
}
