import type { ErrorComponentProps } from '@tanstack/react-router'
import { Link } from './link'
import { PageHead } from './page-head'
import { Empty } from './ui/empty'
import { ErrorCard } from './ui/error-card'

export function NotFound() {
  return (
    <>
      <PageHead title="No such page" />
      <Empty title="There is no such page.">
        <p>
          Go{' '}
          <Link to="/" className="text-accent underline">
            home
          </Link>
          , or press <b>/</b> and paste an id.
        </p>
      </Empty>
    </>
  )
}

export function RouteError({ error, reset }: ErrorComponentProps) {
  return <ErrorCard error={error} onRetry={reset} />
}
