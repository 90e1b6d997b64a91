import type { Client } from '../../../api/client'
import type { RestoredPiece } from '../../../domain/harness/harness-run'
import type { SessionId } from '../../../domain/ids'

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

/** The path of the transcript that was begun last. */
async function transcriptPlace(client: Exporter, session: SessionId, root: string): Promise<string | undefined> {
  const { journals } = await client.sessions.journals(session)
  const begun = journals
    .filter(({ kind }) => kind === 'transcript')
    .sort((a, b) => (b.incarnations[0]?.openedAt ?? '').localeCompare(a.incarnations[0]?.openedAt ?? ''))
  return (begun.find(({ path }) => path.startsWith(root)) ?? begun[0])?.path
}
