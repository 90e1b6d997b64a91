import { defineCommand } from '../command'
import { LISTEN_OPTIONS, startServer } from '../start-server'

export const command = defineCommand({
  summary: 'Start the server alone, without following this machine',
  details: "For fleets: one or more servers on one PostgreSQL database. On one machine, 'lode up' is what you want.",
  options: LISTEN_OPTIONS,
  hasJson: false,
  examples: [
    { line: 'lode serve', does: 'on the address and the database of the settings' },
    { line: 'lode serve --port 4700', does: 'on another port' },
  ],
  run: (context, { options }) => startServer(context, 'serve', options),
})
