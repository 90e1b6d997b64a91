import { AppError } from '../../domain/errors'
import { defineCommand } from '../command'
import { didYouMean } from '../suggest'

const SHELLS = ['bash', 'zsh', 'fish'] as const

export const command = defineCommand({
  summary: 'Print a completion script for your shell',
  args: [{ name: 'SHELL', help: `one of ${SHELLS.join(', ')}`, complete: SHELLS }],
  hasJson: false,
  examples: [
    { line: 'lode completion bash', does: 'for ~/.bashrc: source <(lode completion bash)' },
    { line: 'lode completion zsh', does: 'to a file _lode in a folder of $fpath' },
    { line: 'lode completion fish', does: 'to ~/.config/fish/completions/lode.fish' },
  ],
  async run(context, { args: [name = ''] }) {
    const shell = SHELLS.find((each) => each === name)
    if (shell === undefined)
      throw new AppError('invalid', `SHELL is one of ${SHELLS.join(', ')}.${didYouMean(name, SHELLS)}`)
    const { completionScript } = await import('../completion')
    context.io.out(await completionScript(shell, context.commands))
    return undefined
  },
})
