import type { AnswerOf, Operation } from '../contract/operation'
import { PROGRESS_TYPE } from '../contract/protocol'
import type { Progress } from '../contract/wire'
import { type Caller, type CallOptions, type FieldsOf, unreachable } from './call'
import { errorFromBody, isRecord, parseJson } from './remote-error'

/** Calls an operation that works for long. With `onProgress` the answer is read line by line: progress, then the result or an error. */
export async function callWithProgress<Op extends Operation>(
  caller: Caller,
  operation: Op,
  fields: FieldsOf<Op>,
  options: CallOptions & { onProgress?: (progress: Progress) => void } = {},
): Promise<AnswerOf<Op>> {
  const { onProgress, ...callOptions } = options
  if (onProgress === undefined) return caller.call(operation, fields, callOptions)
  const response = await caller.open(operation, fields, { ...callOptions, headers: { accept: PROGRESS_TYPE } })
  for await (const line of readLines(response)) {
    const message = parseJson(line)
    if (!isRecord(message)) continue
    if (isRecord(message.progress)) onProgress(message.progress as unknown as Progress)
    if (isRecord(message.result)) return message.result as unknown as AnswerOf<Op>
    const error = errorFromBody(response.status, message)
    if (error !== undefined) throw error
  }
  throw unreachable('the server', new Error('the answer ended before the work did'))
}

async function* readLines(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
