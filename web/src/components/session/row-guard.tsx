import { Component, type ReactNode } from 'react'
import { CommandLine } from '../ui/id-chip'

interface RowGuardProps {
  /** A command that shows the line as it is. */
  command: string
  children: ReactNode
}

/** One line that can't be drawn does not take the conversation with it. */
export class RowGuard extends Component<RowGuardProps, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    return (
      <p className="flex flex-wrap items-center gap-2 px-4 py-1 text-xs text-fail">
        This line can’t be drawn. It is recorded:
        <CommandLine command={this.props.command} />
      </p>
    )
  }
}
