// Catches a bug of the page and offers a reload.
import { Component } from 'react'

type MishapProps = { readonly children: React.ReactNode }

/** Where a bug of the page ends: what is around it stays, and nothing that was written is lost. React reports it itself. */
export class Mishap extends Component<MishapProps, { readonly happened: boolean }> {
  override state: { readonly happened: boolean } = { happened: false }

  static getDerivedStateFromError(): { readonly happened: boolean } {
    return { happened: true }
  }

  override render(): React.ReactNode {
    if (!this.state.happened) return this.props.children
    return (
      <section className="missing" role="alert">
        <h2>This cannot be shown</h2>
        <p>Something in the page went wrong. Nothing that was said is lost, and what you were writing is kept.</p>
        <p className="missing-actions">
          <button type="button" className="button" onClick={() => location.reload()}>
            Reload
          </button>
        </p>
      </section>
    )
  }
}
