import type { Client } from '../../../api/client/client'
import { isMachine } from '../../../domain/agent'
import { ID_KINDS, type IdKind } from '../../kit/arguments/id-kinds'
import { defineCommand } from '../../kit/command'
import { connectServer } from '../../kit/connect'
import { SHELLS, type Shell } from '../../kit/shells'
import { oneLine } from '../../print/text'

/** Things that one look lists: the newest, or the first by name. */
const LISTED = 100
/** Milliseconds until a server that does not answer is given up. A person waits at the keyboard. */
const LIMIT_MS = 1_000
/** Characters of a title beside an ID. */
const TITLE = 60
/** What a shell takes for one word and for nothing else. What an issue file or a program named otherwise is not completed. */
const WORD = /^[\w.:@-]{1,128}$/

type Named = readonly [id: string, title: string | null]

/** What there is of each kind. */
const LISTS: { readonly [K in IdKind]: (client: Client, dir: string) => Promise<Named[]> } = {
  agent: async (client) => (await client.agents.list({})).agents.map(({ name, kind }) => [name, kind]),
  budget: async (client) => (await client.budgets.list()).budgets.map(({ name }) => [name, null]),
  channel: async (client) => (await client.notify.list()).channels.map(({ name, kind }) => [name, kind]),
  epic: async (client) => (await client.epics.list({ limit: LISTED })).epics.map(({ epic }) => [epic.id, epic.title]),
  issue: async (client, dir) =>
    (await client.issues.list({ dir, limit: LISTED })).issues.map(({ id, title }) => [id, title]),
  machine: async (client) =>
    (await client.agents.list({})).agents.filter(isMachine).map(({ name, status }) => [name, status]),
  message: async (client) =>
    (await client.messages.list({ limit: LISTED, newestFirst: true })).messages.map(({ id, text }) => [id, text]),
  need: async (client) => (await client.overview({ limit: LISTED })).needs.map(({ id, title }) => [id, title]),
  question: async (client) =>
    (await client.questions.list({ limit: LISTED, status: 'open' })).questions.map(({ id, toolName }) => [
      id,
      toolName,
    ]),
  request: async (client) => (await client.inbox.list({ limit: LISTED })).messages.map(({ id, text }) => [id, text]),
  session: async (client) =>
    (await client.sessions.list({ limit: LISTED })).sessions.map(({ id, title }) => [id, title]),
  share: async (client) => (await client.shares.list()).shares.map(({ id, sessionId }) => [id, sessionId]),
  source: async (client) => (await client.inbox.sources()).sources.map(({ name }) => [name, null]),
  subagent: async (client, dir) =>
    (await client.recover({ project: dir, limit: LISTED })).work.map(({ subagent }) => [
      subagent.id,
      subagent.description,
    ]),
  task: async (client) =>
    (await client.tasks.list({ limit: LISTED, textLimit: 0 })).tasks.map(({ id, title }) => [id, title]),
  todo: async (client) => (await client.todos.list({ limit: LISTED })).todos.map(({ id, content }) => [id, content]),
  token: async (client) => (await client.tokens.list()).tokens.map(({ id, name }) => [id, name]),
  user: async (client) => (await client.users.list()).users.map(({ name, role }) => [name, role]),
  worker: async (client) => (await client.workers.list()).workers.map(({ name }) => [name, null]),
}

export const command = defineCommand({
  summary: 'print IDs for a completion script',
  details: 'Called by the scripts of lode completion, not by people. Prints nothing where no server runs.',
  args: [
    { name: 'SHELL', help: SHELLS.join(', ') },
    { name: 'KIND', help: ID_KINDS.join(', ') },
  ],
  examples: [{ line: 'lode complete bash task', does: 'the IDs of the newest tasks' }],
  hasJson: false,
  async run(context, { args: [shell = '', kind = ''] }) {
    const format = FORMATS[SHELLS.find((known) => known === shell) ?? 'bash']
    const list = LISTS[ID_KINDS.find((known) => known === kind) ?? 'task']
    const end = setTimeout(() => process.exit(0), LIMIT_MS)
    try {
      const connection = await connectServer(context)
      const found = connection === null ? [] : await list(connection.client, context.io.cwd)
      const shown = found.filter(([id]) => WORD.test(id)).map(([id, title]) => `${format(id, titleOf(title))}\n`)
      context.io.out(shown.join(''))
    } catch {
      // Nobody asked for anything: a message would stand within the line that is typed.
    } finally {
      clearTimeout(end)
    }
    return undefined
  },
})

const titleOf = (title: string | null): string => oneLine(title ?? '').slice(0, TITLE)

/** One line for a shell. A title may be anybody's text: where it is shown, it stands behind a sign that it can't hold. */
const FORMATS: { readonly [S in Shell]: (id: string, title: string) => string } = {
  bash: (id) => id,
  zsh: (id, title) => `${id.replaceAll(':', '\\:')}:${title.replaceAll('\\', '/')}`,
  fish: (id, title) => `${id}\t${title}`,
}
