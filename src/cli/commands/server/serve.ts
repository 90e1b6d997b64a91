import { defineCommand } from '../../kit/command'
import { LISTEN_OPTIONS, startServer } from '../../server/start-server'

export const command = defineCommand({
  summary: 'Start only the server, without recording this machine',
  details: "For fleets: run one or more servers on one PostgreSQL database. On a single machine, use 'lode up'.",
  options: LISTEN_OPTIONS,
  hasJson: false,
  examples: [
    { line: 'lode serve', does: 'use the address and database from the settings' },
    { line: 'lode serve --port 4700', does: 'use another port' },
  ],
  run: (context, { options }) => startServer(context, 'serve', options),
})
