import { Component, type ReactNode } from 'react'
import { CommandLine } from '../../../components/ui/id-chip'

interface RowGuardProps {
  /** Command that prints the line. */
  command: string
  children: ReactNode
}

/** Catches errors of one row, so that the rest of the conversation stays visible. */
export class RowGuard extends Component<RowGuardProps, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    return (
      <p className="flex flex-wrap items-center gap-2 px-4 py-1 text-xs text-fail">
        This line could not be displayed. To see it, run:
        <CommandLine command={this.props.command} />
      </p>
    )
  }
}
