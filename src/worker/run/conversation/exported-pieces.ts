import type { Client } from '../../../api/client'
import type { RestoredPiece } from '../../../domain/harness/harness-run'
import type { SessionId } from '../../../domain/ids'
import { byMost } from '../../../domain/record/journal-store'

type Exporter = { sessions: Pick<Client['sessions'], 'export' | 'journals'> }

/**
 * The files of a conversation as they are recorded, in pieces, as they come: a transcript may be large.
 *
 * @param root  the CLI's configuration folder: of several places where the transcript was recorded, one below it leads
 * @throws `not_found` no transcript of it is recorded
 */
export async function* exportedPieces(
  client: Exporter,
  session: SessionId,
  root: string,
): AsyncGenerator<RestoredPiece> {
  let recordedAt: string | undefined
  for await (const { relativePath: name, bytes } of client.sessions.export(session)) {
    const isMain = name === `${session}.jsonl`
    if (isMain) recordedAt ??= await transcriptPlace(client, session, root)
    for await (const piece of bytes)
      yield { name, bytes: piece, ...(isMain && recordedAt !== undefined && { recordedAt }) }
  }
}

/** The path of the transcript that holds the most. */
async function transcriptPlace(client: Exporter, session: SessionId, root: string): Promise<string | undefined> {
  const { journals } = await client.sessions.journals(session)
  const places = journals
    .filter(({ kind }) => kind === 'transcript')
    .flatMap(({ path, incarnations: [newest] }) => (newest === undefined ? [] : [{ ...newest, path }]))
    .sort(byMost)
  return (places.find(({ path }) => path.startsWith(root)) ?? places[0])?.path
}
