/** Recording as a test needs it: a database, an engine over it, files of its own. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { zstdCompressSync } from 'bun'
import type { JournalRef } from '../../src/domain/harness/harness'
import type { Store } from '../../src/domain/store'
import { FileRecorder } from '../../src/engine/record/file-recorder'
import { claudeCode } from '../../src/harness/claude-code'
import { codex } from '../../src/harness/codex'
import { opencode } from '../../src/harness/opencode'

export const HOST = { name: '0123456789abcdef0123456789abcdef', hostname: 'test' }

export function recorderOn(store: Store, blockBytes?: number, maxLineBytes?: number): FileRecorder {
  return new FileRecorder({
    store,
    harnessOf: (agent) => [codex, opencode].find((each) => each.agent === agent) ?? claudeCode,
    host: HOST,
    compress: (bytes) => zstdCompressSync(bytes as Uint8Array<ArrayBuffer>),
    projectOf: (cwd) => ({ root: cwd, remote: null, name: 'project' }),
    ...(blockBytes === undefined ? {} : { blockBytes }),
    ...(maxLineBytes === undefined ? {} : { maxLineBytes }),
  })
}

/** A transcript's place below `root`. */
export function transcript(root: string, session: string): JournalRef {
  const path = join(root, 'projects', '-home-user-project', `${session}.jsonl`)
  return { agent: 'claude-code', kind: 'transcript', path, sessionId: session, subagentId: null }
}

export function write(ref: JournalRef, text: string | Uint8Array): void {
  mkdirSync(dirname(ref.path), { recursive: true })
  writeFileSync(ref.path, text)
}

/** All bytes of an incarnation, as the store gives them back. */
export async function bytesOf(store: Store, incarnation: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of store.journals.read(incarnation)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

let serial = 0
/** A uuid that counts up: readable in a failing test. */
export const uuid = (n = ++serial): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** A person's prompt as the CLI writes it. */
export function prompt(session: string, text: string, id = uuid(), at = 1_700_000_000_000 + serial * 1_000): string {
  return `${JSON.stringify({
    parentUuid: null,
    isSidechain: false,
    userType: 'external',
    cwd: '/home/user/project',
    sessionId: session,
    version: '2.1.328',
    gitBranch: 'main',
    type: 'user',
    message: { role: 'user', content: text },
    uuid: id,
    timestamp: new Date(at).toISOString(),
  })}\n`
}
