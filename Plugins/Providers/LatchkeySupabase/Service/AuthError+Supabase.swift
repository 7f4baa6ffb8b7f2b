public import Latchkey

extension AuthError {
    /// The service's own code, where one is behind the error.
    public var supabase: SupabaseErrorCode? { serviceCode.map(SupabaseErrorCode.init(rawValue:)) }
}
