import type { SessionId, TaskId } from '../../domain/ids'
import type { Message, SentKind } from '../../domain/message/message'

/** What a caller says; who says it follows from the token, never from the words. */
export interface SendMessage {
  /** An address; or `parent`: the receiver of this run's result; or a child's task id. */
  to: string
  text: string
  kind?: SentKind | 'result' | undefined
  replyTo?: string | undefined
  wantsReply?: boolean | undefined
  /** An operator's command within a chat session only: that session's address. A run's is its task's. */
  sessionId?: SessionId | undefined
}

/** What the receiver of a wait is given, and what is known by now. */
export interface Awaited {
  messages: Message[]
  tasks: { taskId: TaskId; title: string; status: string; output: string | null; failureReason: string | null }[]
  /** Everything that was waited for is there. */
  isComplete: boolean
}
