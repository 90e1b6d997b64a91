import { AppError, toAppError } from '../../../../domain/errors'
import type { WorkProgress } from '../../../../engine/services'
import * as operations from '../../../contract/operations/server'
import { PROGRESS_TYPE } from '../../../contract/protocol'
import { errorBody } from '../../answers'
import { handle } from '../../handler'

export const importPaths = handle(operations.importPaths, ({ body, request, headers }, { services, log }) => {
  const relative = body.paths.find((path) => !isAbsolute(path))
  if (relative !== undefined) {
    throw new AppError('invalid', `${JSON.stringify(relative.slice(0, 200))} is not an absolute path.`, {
      hint: 'The server has its own working directory: send absolute paths.',
    })
  }
  return work(request, headers, (onProgress) => services.importPaths(body.paths, onProgress), log.error)
})

export const rebuild = handle(operations.rebuild, ({ request, headers }, { services, log }) =>
  work(request, headers, (onProgress) => services.rebuild(onProgress), log.error),
)

const isAbsolute = (path: string) => path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path) || path.startsWith('\\\\')

/** Runs to the end whether the caller stays or not: half an import is as good as a whole one that is done again. */
function work<Result>(
  request: Request,
  headers: Record<string, string>,
  run: (onProgress?: (progress: WorkProgress) => void) => Promise<Result>,
  logError: (message: string, fields: Record<string, unknown>) => void,
): Promise<Result> | Response {
  if (!(request.headers.get('accept') ?? '').includes(PROGRESS_TYPE)) return run()
  return new Response(progressLines(run, logError), { headers: { ...headers, 'content-type': PROGRESS_TYPE } })
}

/** Lines of JSON: `{progress}` as often as the reader takes one, then `{result}` or `{error}`. Only the newest progress is kept. */
function progressLines<Result>(
  run: (onProgress: (progress: WorkProgress) => void) => Promise<Result>,
  logError: (message: string, fields: Record<string, unknown>) => void,
): ReadableStream<Uint8Array> {
  let newest: WorkProgress | null = null
  let last: object | null = null
  let changed = Promise.withResolvers<void>()
  const encode = (value: object) => new TextEncoder().encode(`${JSON.stringify(value)}\n`)
  run((progress) => {
    newest = progress
    changed.resolve()
  })
    .then(
      (result) => {
        last = { result }
      },
      (thrown: unknown) => {
        const error = toAppError(thrown)
        if (error.code === 'internal') logError('work failed', { error })
        last = errorBody(error)
      },
    )
    .finally(() => changed.resolve())
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await changed.promise
        if (last !== null) {
          controller.enqueue(encode(last))
          controller.close()
          return
        }
        changed = Promise.withResolvers<void>()
        if (newest !== null) controller.enqueue(encode({ progress: newest }))
      },
    },
    { highWaterMark: 0 },
  )
}
