import { defineCommand } from '../../kit/command'
import { fields } from '../../print/table'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Create a workspace for a team: a database of its own on a shared PostgreSQL server',
  details: [
    'LODELINE_ADMIN_DATABASE_URL names an administrator of the PostgreSQL server: a superuser, or a role with CREATEDB and CREATEROLE. The',
    'address leads to the server itself, not to a pooler.',
    '',
    'Makes a database, a role with a password that may use this database alone, all tables, and a token of an operator. It prints the URL',
    'and the token once; a new token needs `lode token rotate` at a server of the workspace. A creation that fails leaves nothing behind.',
    "Start servers of the workspace with the URL: 'lode serve', each with a folder of its own.",
  ].join('\n'),
  args: [{ name: 'NAME', help: 'the name: small letters, digits and _; the database is lodeline_NAME' }],
  options: {
    connections: {
      kind: 'number',
      value: 'N',
      min: 2,
      max: 10_000,
      help: 'connections that the workspace may have at once (default: 40; a server uses 11 at most)',
    },
    empty: { kind: 'flag', help: 'make no tables and no token: for `lode restore` with the URL' },
  },
  examples: [
    { line: 'lode workspace create blue', does: 'print the URL for `lode serve` and the first token' },
    { line: 'lode workspace create blue --json', does: 'print JSON: {name, database, url, token, openDatabases}' },
  ],
  async run(context, { args: [name = ''], options }) {
    const { createWorkspace, openWorkspaces } = await import('../../../app/workspaces')
    await using workspaces = openWorkspaces(context.io.env)
    const { connections = MAX_CONNECTIONS, empty } = options
    const made = await createWorkspace(workspaces, { name, maxConnections: connections, isEmpty: empty })
    context.answer(
      made,
      () =>
        fields([
          ['workspace', made.name],
          ['database', made.database],
          ['url', made.url],
          ['token', made.token],
        ]),
      { isExact: true },
    )
    context.note(made.token === null ? "the URL won't be shown again." : "the URL and the token won't be shown again.")
    if (made.openDatabases.length > 0)
      context.note(
        oneLine(
          `its role may connect to ${made.openDatabases.join(', ')} too, as every role of the server may. To end that, revoke connect on` +
            ' these databases from public.',
        ),
      )
  },
})

/** Three servers and some commands. */
const MAX_CONNECTIONS = 40
