/** Two hosts in one process: files there, a record here, and a wire between them that can be cut. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createRunFiles, type RunFiles } from '../../src/app/files/run-files'
import { createRecordEngine, type RecordEngine } from '../../src/app/threads/record-engine'
import { createRemoteRecorder, type FileSender, type RemoteRecorder } from '../../src/collector/remote-recorder'
import { AppError } from '../../src/domain/errors'
import type { KeptStore } from '../../src/store/sql/kept-store'

export const HERE = { name: 'a'.repeat(32), hostname: 'here' }
export const THERE = { name: 'b'.repeat(32), hostname: 'there' }

export class RemoteWorld {
  readonly base = mkdtempSync('/tmp/ld-')
  readonly home = join(this.base, 'server')
  /** Where the other host's agent keeps its files. */
  readonly root = join(this.base, 'there', '.claude')
  readonly store: KeptStore
  /** What went over the wire. */
  readonly wire = { requests: 0, bytes: 0 }
  /** Called before and after a request reached the server; what it throws the sender gets. */
  onWire: (when: 'before' | 'after') => void = () => {}
  /** Waited for when bytes arrived, before the server does anything with them. */
  onArrival: () => Promise<void> = async () => {}
  engine: RecordEngine
  files: RunFiles

  constructor(store: KeptStore) {
    this.store = store
    mkdirSync(join(this.root, 'projects', '-p'), { recursive: true })
    this.engine = createRecordEngine(store, HERE, this.home)
    this.files = this.serve(this.home, this.engine)
  }

  /** A server of its own on the same database. */
  serve(home: string, engine: RecordEngine): RunFiles {
    return createRunFiles({
      home,
      host: HERE,
      store: this.store,
      engine: async () => engine,
      roots: ['/followed'],
    })
  }

  /** The server starts again: nothing in its memory is left. */
  restartServer(home = this.home): void {
    this.engine = createRecordEngine(this.store, HERE, home)
    this.files = this.serve(home, this.engine)
  }

  readonly client: FileSender = {
    files: {
      append: async (input, bytes) => {
        const { hostName, hostname, isGone = false, isAnew = false, ...file } = input
        this.wire.requests++
        this.onWire('before')
        this.wire.bytes += bytes.length
        await this.onArrival()
        const { size, outcome } = await this.files.appendRemote(
          { name: hostName, hostname },
          { ...file, isGone, isAnew },
          bytes,
        )
        this.onWire('after')
        return { size, eventsAdded: outcome?.eventsAdded ?? 0 }
      },
    },
  }

  recorder(pieceBytes = 700): RemoteRecorder {
    return createRemoteRecorder({ client: this.client, host: THERE, pieceBytes })
  }

  transcript(session: string): string {
    return join(this.root, 'projects', '-p', `${session}.jsonl`)
  }

  /** Bytes of every incarnation of the file, newest first. */
  async incarnations(path: string): Promise<{ closeReason: string | null; text: string }[]> {
    for await (const { journal, host } of this.store.journals.listAll()) {
      if (journal.path !== path || host.name !== THERE.name) continue
      return await Promise.all(
        journal.incarnations.map(async ({ id, closeReason }) => {
          const parts: Uint8Array[] = []
          for await (const part of this.store.journals.read(id)) parts.push(part)
          return { closeReason, text: Buffer.concat(parts).toString('latin1') }
        }),
      )
    }
    return []
  }

  /** What went over the wire since the last call. */
  sent(): { requests: number; bytes: number } {
    const sent = { ...this.wire }
    Object.assign(this.wire, { requests: 0, bytes: 0 })
    return sent
  }

  remove(): void {
    rmSync(this.base, { recursive: true, force: true })
  }
}

export const lost = (): AppError => new AppError('unavailable', 'the connection was lost')
