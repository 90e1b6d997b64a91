import type { ErrorComponentProps } from '@tanstack/react-router'
import { Link } from '../components/link'
import { PageHead } from '../components/page-head'
import { Empty } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'

/** Shown for unknown addresses. */
export function NotFound() {
  return (
    <>
      <PageHead title="Page not found" />
      <Empty title="This page does not exist.">
        <p>
          Go{' '}
          <Link to="/" className="text-accent underline">
            home
          </Link>
          , or press <b>/</b> and paste an ID.
        </p>
      </Empty>
    </>
  )
}

/** Shown if a page fails to render. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  return <ErrorCard error={error} onRetry={reset} />
}
