import Testing

@Suite struct ReferenceTests {
  @Test func theStoredReferenceHasManyCasesAndNamesItsLibraries() throws {
    let reference = try Reference.stored.get()
    #expect(reference.comparisons.count >= 60)
    #expect(Set(reference.comparisons.map(\.test)) == ["z", "fisher"])
    #expect(Set(reference.versions.keys) == ["python", "numpy", "scipy", "statsmodels"])
  }

  @Test func comparisonsAreThoseOfTheReference() throws { try Reference.stored.get().expectComparisons() }
  @Test func adjustedPValuesAreThoseOfTheReference() throws { try Reference.stored.get().expectAdjustedPValues() }
  @Test func sampleRatiosAreThoseOfTheReference() throws { try Reference.stored.get().expectRatios() }
  @Test func sampleSizesAreThoseOfTheReference() throws { try Reference.stored.get().expectSampleSizes() }
  @Test func sizesForAChangeAreThoseOfTheReference() throws { try Reference.stored.get().expectChanges() }
  @Test func testsOfSeveralSidesAreThoseOfTheReference() throws { try Reference.stored.get().expectHomogeneity() }
  @Test func stratifiedComparisonsAreThoseOfTheReference() throws { try Reference.stored.get().expectStratified() }
  @Test func normalTailsAreThoseOfTheReference() throws { try Reference.stored.get().expectTails() }

  @Test(.enabled(if: Reference.python != nil, "FUNNEL_SCIPY_PYTHON names no Python that can import scipy and statsmodels"))
  func freshRandomCasesAgreeWithSciPy() throws {
    let python = try #require(Reference.python)
    let reference = try Reference.computed(by: python, seed: .random(in: 2...1_000_000), cases: 300)
    try reference.expectComparisons()
    reference.expectAdjustedPValues()
    try reference.expectRatios()
    reference.expectSampleSizes()
    reference.expectChanges()
    try reference.expectHomogeneity()
    try reference.expectStratified()
  }
}
