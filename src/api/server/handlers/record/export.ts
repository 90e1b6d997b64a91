import { kindOf } from '../../../../domain/access/caller-kind'
import { actorOf } from '../../../../engine/audit/record-act'
import { type ExportedFile, planExport } from '../../../../engine/query/export-plan'
import { maskLines } from '../../../../engine/query/mask-lines'
import { sessions } from '../../../contract/operations/sessions'
import { requireFor } from '../../callers/authorize'
import type { Context } from '../../context'
import { getSession } from '../../find/find-session'
import { handle } from '../../handler'
import { type TarFile, writeTar } from './tar-write'

export const exportSession = handle(sessions.export, async ({ caller, params, query, headers }, context) => {
  const { id } = await getSession(params.id, context)
  const { store, services } = context
  await requireFor(sessions.export, caller, id, context)
  const own = new Set([services.followedRoots().hostName, ...(await store.tasks.hostsOf(id))])
  const files = planExport(id, await store.journals.listBySession(id), query.incarnation, own, query.partial)
  await services.audit.record({
    act: 'session.export',
    actor: actorOf(caller),
    target: id,
    detail: { files: files.length },
  })
  // The name is made of what a file name may hold anywhere: an id could carry a quote or a line break into the header.
  const name = id.replace(/[^A-Za-z0-9._-]/g, '_')
  // To continue or keep a conversation takes its bytes. All other readers get as many bytes, without secrets.
  const isExact = query.masked !== true && (kindOf(caller) === 'operator' || kindOf(caller) === 'worker')
  return new Response(streamOf(writeTar(tarFiles(files, isExact, context)), context), {
    headers: {
      ...headers,
      'content-type': 'application/x-tar',
      'content-disposition': `attachment; filename="${name}.tar"`,
    },
  })
})

function* tarFiles(files: ExportedFile[], isExact: boolean, { store, mask }: Context): Generator<TarFile> {
  for (const { relativePath, incarnation, size, openedAt } of files) {
    const bytes = store.journals.read(incarnation, 0, size)
    yield {
      path: relativePath,
      size,
      modifiedAt: Date.parse(openedAt) / 1_000,
      bytes: isExact ? bytes : maskLines(bytes, mask),
    }
  }
}

/** Chunks are made when the reader asks for the next: a session of any size takes the memory of one chunk. */
function streamOf(chunks: AsyncGenerator<Uint8Array>, { log }: Context): ReadableStream<Uint8Array> {
  let isReaderGone = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next()
          if (isReaderGone) return
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          if (isReaderGone) return
          log.error('an export was interrupted', { error })
          controller.error(error)
        }
      },
      async cancel() {
        isReaderGone = true
        await chunks.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}
