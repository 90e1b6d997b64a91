import { AppError } from '../../domain/errors'
import { LAST_UUID_HEADER } from '../contract/routes'
import type { Caller } from './call'
import type { WorkClient } from './work-client'

/** The methods for agents, their attempts and questions, and for what workers send and fetch. */
export function workerMethods(
  caller: Caller,
): Pick<WorkClient, 'agents' | 'attempts' | 'questions' | 'conversations' | 'files'> {
  const { call } = caller
  return {
    agents: {
      list: ({ dir, ...o } = {}) => call('agents.list', dir === undefined ? {} : { dir }, o),
      get: (id, o) => call('agents.get', { id }, o),
      describe: (name, input, o) => call('agents.describe', { ...input, id: name }, o),
      join: (input, o) => call('agents.join', input, o),
      poll: (id, input, o) => call('agents.poll', { ...input, id }, o),
    },
    attempts: {
      report: (id, report, o) => call('attempts.report', { ...report, id }, o),
      stream: (id, offset, bytes, o) => call('attempts.stream', { id, offset }, { ...o, bytes }),
      ask: (id, input, o) => call('attempts.ask', { ...input, id }, o),
    },
    questions: {
      list: (input = {}, o) => call('questions.list', input, o),
      answer: (id, input, o) => call('questions.answer', { ...input, id }, o),
    },
    conversations: {
      async snapshot(id, o) {
        const response = await caller.open('sessions.snapshot', { id }, o)
        const lastUuid = response.headers.get(LAST_UUID_HEADER)
        if (lastUuid === null) throw new AppError('internal', 'the server did not say where the snapshot ends')
        return { bytes: await response.bytes(), lastUuid }
      },
    },
    files: {
      append: (input, bytes, o) => call('files.append', input, { ...o, bytes }),
    },
  }
}
