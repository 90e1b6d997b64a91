import { existsSync } from 'node:fs'
import { defineCommand } from '../../kit/command'
import { fields } from '../../print/table'

export const command = defineCommand({
  summary: 'Show the files that settings are read from',
  examples: [
    { line: 'lode config path', does: "Lodeline's folder and the settings files" },
    { line: 'lode config path --json', does: 'print JSON: {home, userFile, userFileExists, projectFile}' },
  ],
  async run(context) {
    const { config, userFile, projectFile } = context.configReport()
    const answer = { home: config.home, userFile, userFileExists: existsSync(userFile), projectFile }
    context.answer(answer, () =>
      fields([
        ['folder', answer.home],
        ["user's file", answer.userFileExists ? userFile : `${userFile} (does not exist yet)`],
        ["project's file", projectFile ?? 'none (.lodeline/config.yaml in a repository)'],
      ]),
    )
  },
})
