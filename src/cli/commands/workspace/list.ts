import { defineCommand } from '../../kit/command'
import { bytes } from '../../print/measures'
import { table } from '../../print/table'

export const command = defineCommand({
  summary: 'List the workspaces of a shared PostgreSQL server',
  details:
    'LODELINE_ADMIN_DATABASE_URL names an administrator of the server. What is in a workspace can be seen at its own servers alone.',
  examples: [
    { line: 'lode workspace list', does: 'each workspace with its size and its open connections' },
    {
      line: 'lode workspace list --json',
      does: 'print JSON: {workspaces: [{name, database, bytes, connections, maxConnections}]}',
    },
  ],
  async run(context) {
    const { openWorkspaces } = await import('../../../app/workspaces')
    await using admin = openWorkspaces(context.io.env)
    const workspaces = await admin.list()
    context.answer({ workspaces }, () =>
      table(
        workspaces,
        [
          { title: 'NAME', flexible: 12, cell: (row) => row.name },
          { title: 'DATABASE', cell: (row) => row.database, spare: 1 },
          { title: 'SIZE', align: 'right', cell: (row) => (row.bytes === null ? null : bytes(row.bytes)) },
          {
            title: 'CONNECTIONS',
            align: 'right',
            cell: (row) => `${row.connections} of ${row.maxConnections < 0 ? 'any' : row.maxConnections}`,
          },
        ],
        context.io.columns,
      ),
    )
    if (workspaces.length === 0) context.note("no workspaces. Create one with 'lode workspace create NAME'.")
  },
})
