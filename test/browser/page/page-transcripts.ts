/** Conversations that stand in a record without any run: for pages that only read. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type SessionId, sessionId } from '../../../src/domain/ids'
import type { Lode } from '../../lab/lode'
import { TranscriptLines } from '../world/world-lines'

export interface Conversation {
  /** Folder that it worked in. */
  cwd: string
  title: string
  /** When its first line is, in milliseconds since the epoch. */
  startedAt: number
  /** The model of all its answers; by default the usual one. */
  model?: string
  lines(write: TranscriptLines): string[]
}

/** Writes them into `folder`, and has the server take them in. */
export async function importConversations(
  server: Lode,
  folder: string,
  conversations: readonly Conversation[],
): Promise<SessionId[]> {
  const project = join(folder, 'projects/-conversations')
  mkdirSync(project, { recursive: true })
  const ids = conversations.map(({ cwd, title, startedAt, model, lines }) => {
    const id = sessionId(crypto.randomUUID())
    const write = new TranscriptLines(id, cwd, startedAt)
    const all = [...lines(write), write.title(title)].map((line) =>
      model === undefined ? line : line.replace('"claude-opus-5-5"', JSON.stringify(model)),
    )
    writeFileSync(join(project, `${id}.jsonl`), `${all.join('\n')}\n`)
    return id
  })
  await server.client.import({ paths: [project] })
  return ids
}
