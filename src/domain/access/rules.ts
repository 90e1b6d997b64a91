import type { Access } from './access'

/** Rows of the table that both an operation and the use case behind it name, so that what is declared is what is enforced. */

/** A task's words and result. Workers share the queue, so each sees what it may take. */
export const READ_TASK = { of: 'task', operator: 'any', lead: 'any', worker: 'any', attempt: 'family' } satisfies Access

/** What a task's run said and did. */
export const READ_TASK_LOG = {
  of: 'task',
  operator: 'any',
  approver: 'any',
  viewer: 'any',
  lead: 'any',
  worker: 'tree',
  attempt: 'tree',
} satisfies Access

/** The conversation of a task, and what its runs asked. */
export const READ_TASK_SESSION = {
  of: 'task',
  operator: 'any',
  approver: 'any',
  viewer: 'any',
  lead: 'any',
  worker: 'ownOrMade',
  attempt: 'ownOrBelow',
} satisfies Access

/** The open questions of runs, with the calls that they are about. */
export const READ_QUESTIONS = { of: 'task', operator: 'any', lead: 'any', attempt: 'own' } satisfies Access

/** What opens an attempt quotes its conversation. */
export const READ_PROMPT = { of: 'task', operator: 'any', lead: 'any', worker: 'own', attempt: 'own' } satisfies Access

/** Cancel, pause, change and so on. */
export const DIRECT_TASK = {
  of: 'task',
  operator: 'any',
  lead: 'below',
  worker: 'made',
  attempt: 'made',
  leadRun: 'below',
} satisfies Access

/** Pause, go on, let begin what waits for a person: an approver stops and consents, and changes nothing that others planned. */
export const HOLD_TASK = { ...DIRECT_TASK, approver: 'any' } satisfies Access

/** Progress, result and conversation of a task in progress. */
export const WORK_ON_TASK = { of: 'task', operator: 'any', lead: 'own', worker: 'own', attempt: 'own' } satisfies Access

/** The task's holder may give it back, and so may whoever directs it. */
export const RELEASE_TASK = {
  of: 'task',
  operator: 'any',
  lead: 'ownOrBelow',
  worker: 'ownOrMade',
  attempt: 'ownOrMade',
  leadRun: 'ownOrBelow',
} satisfies Access

/** Under which task another may be put: what continues a task begins with its conversation, and what is below it may. */
export const PUT_BELOW_TASK = {
  of: 'task',
  operator: 'any',
  lead: 'any',
  worker: 'ownOrMade',
  attempt: 'tree',
} satisfies Access

/** An answer lets a call of a run through: a person's to give, and a lead's where a person said so. */
export const ANSWER_QUESTION = {
  of: 'task',
  operator: 'any',
  approver: 'any',
  lead: 'below',
  leadRun: 'below',
} satisfies Access

/** An attempt's worker reports what the attempt does; its run never does. */
export const REPORT_ATTEMPT = { of: 'attempt', operator: 'any', worker: 'own' } satisfies Access

/** What a conversation holds. */
export const READ_SESSION = { of: 'session', operator: 'any', lead: 'any', worker: 'own' } satisfies Access

/** What an agent says in its own conversation, and hears there. */
export const OWN_SESSION = {
  of: 'session',
  operator: 'any',
  lead: 'any',
  worker: 'own',
  attempt: 'own',
} satisfies Access

/** To-dos of many conversations. */
export const READ_TODO_LISTS = { of: 'session', operator: 'any', lead: 'any', attempt: 'own' } satisfies Access

/** What waits for a receiver. */
export const READ_ADDRESS = {
  of: 'address',
  operator: 'any',
  lead: 'own',
  worker: 'own',
  attempt: 'own',
} satisfies Access

/** Requests from outside, and the answers that leave. */
export const ANSWER_INBOX = {
  operator: 'any',
  lead: 'any',
  leadRun: 'any',
  hint: 'Send a message to your lead with send-message.',
} satisfies Access

/** A request that needs nothing more: to consent is to let its task begin, and this is the other answer. */
export const CLOSE_INBOX = { ...ANSWER_INBOX, approver: 'any' } satisfies Access

/** Epics, specialists, and files of issues as a whole. */
export const LEAD = { operator: 'any', lead: 'any' } satisfies Access

/** A wait for tasks. It reports only tasks that the caller may see. */
export const AWAIT_TASKS = { operator: 'any', lead: 'any', worker: 'any', attempt: 'any' } satisfies Access

/** A poll takes tasks and keeps them in the name of an agent. */
export const SPEAK_AS_AGENT = { of: 'agent', operator: 'any', lead: 'self', worker: 'self' } satisfies Access

/** A message with its way to its receiver. */
export const READ_MESSAGE = {
  of: 'message',
  operator: 'any',
  approver: 'any',
  viewer: 'any',
  lead: 'party',
  worker: 'party',
  attempt: 'party',
} satisfies Access

/** The sender may take a message back until somebody receives it. */
export const WITHDRAW_MESSAGE = {
  of: 'message',
  operator: 'any',
  lead: 'sender',
  worker: 'sender',
  attempt: 'sender',
} satisfies Access

/** An agent comes back as itself; only an operator lets in another. */
export const JOIN_AS_AGENT = { of: 'agent', operator: 'any', lead: 'self', worker: 'self' } satisfies Access

/** A run writes into no conversation that did not ask for it: what it says there, an agent or a person reads. */
export const SEND_MESSAGE = {
  of: 'receiver',
  operator: 'any',
  lead: 'any',
  worker: 'any',
  attempt: 'known',
  hint: 'Report with finish-task, or answer a message with replyTo. A receiver agrees by writing to you first.',
} satisfies Access

/** Issues are kept beside the code: who works on the code works on them. */
export const USE_ISSUES = {
  of: 'folder',
  operator: 'any',
  lead: 'any',
  worker: 'any',
  attempt: 'own',
  hint: 'Omit dir: the issues are then those of your own project.',
} satisfies Access

/** Whoever answers for something may say why. */
export const COMMENT_ISSUE = { ...USE_ISSUES, approver: 'any' } satisfies Access

/** What is read on another machine. */
export const APPEND_FILE = { of: 'host', operator: 'any', worker: 'own' } satisfies Access

/** A copy of a conversation for a worker, which goes on with it. */
export const COPY_SESSION = { of: 'session', operator: 'any', worker: 'own' } satisfies Access

/** The note that the next session in a folder gets first. */
export const WRITE_HANDOFF = {
  of: 'folder',
  operator: 'any',
  lead: 'any',
  worker: 'any',
  attempt: 'own',
} satisfies Access
