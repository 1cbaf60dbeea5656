// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import SQLiteDriver
import StoreEvents
import StoreInstruments
import TestSupport
import Testing

/// Articles with an author, ordered paragraphs, and tags that are ordered by article.
@Suite struct PrefetchTests {
  private let fixture: StoreFixture
  private var context: ManagedObjectContext { fixture.context }

  struct Author: Entity {
    let name = Attribute<String>("name")
    let articles: ToMany<Article> = ToMany("articles", inverse: \.author)
  }

  struct Article: Entity {
    let title = Attribute<String>("title")
    let author = ToOne<Author>("author", inverse: \.articles)
    let paragraphs: ToMany<Paragraph> = ToMany("paragraphs", inverse: \.article, ordered: true)
    let tags: ToMany<Tag> = ToMany("tags", inverse: \.articles)
    let links: ToMany<Tag> = ToMany("links", inverse: \.linking, ordered: true)
  }

  struct Paragraph: Entity {
    let text = Attribute<String>("text")
    let article = ToOne<Article>("article", inverse: \.paragraphs)
  }

  struct Tag: Entity {
    let word = Attribute<String>("word")
    let articles = ToMany<Article>("articles", inverse: \.tags)
    let linking = ToMany<Article>("linking", inverse: \.links)
  }

  init() throws {
    fixture = try StoreFixture([Author.self, Article.self, Paragraph.self, Tag.self])
    let context = fixture.container.newBackgroundContext()
    let authors = ["ann", "bob"].map { name in
      let author = context.insert(Author.self)
      author.name = name
      return author
    }
    let tags = ["x", "y", "z"].map { word in
      let tag = context.insert(Tag.self)
      tag.word = word
      return tag
    }
    for index in 0..<6 {
      let article = context.insert(Article.self)
      article.title = "\(index)"
      article.author = index < 4 ? authors[index % 2] : nil
      for tag in tags.prefix(index % 4) { article.tags.insert(tag) }
      for tag in tags.prefix(index % 3).reversed() { article.links.append(tag) }
      for number in 0..<(index % 3) {
        let paragraph = context.insert(Paragraph.self)
        paragraph.text = "\(index).\(number)"
        article.paragraphs.insert(paragraph, at: 0)
      }
    }
    try context.save()
  }

  /// A store whose row cache is empty, as if it had just been opened.
  private func opened(
    rowCacheSize: Int = 128 << 20
  ) throws -> (PersistentContainer, RecordingObserver) {
    let observer = RecordingObserver()
    var options = StoreOptions()
    options.rowCacheSize = rowCacheSize
    return (
      try fixture.reopened(
        [Author.self, Article.self, Paragraph.self, Tag.self], options: options,
        observer: observer), observer
    )
  }

  private func request(_ keyPaths: String...) -> FetchRequest<Article> {
    var request = FetchRequest<Article>()
    request.sortDescriptors = [SortDescriptor(\.title)]
    request.relationshipKeyPathsForPrefetching = keyPaths
    return request
  }

  private func fetchEnds(_ observer: RecordingObserver) -> [FetchEnd] {
    observer.events.compactMap { if case .fetchEnd(let end) = $0 { end } else { nil } }
  }

  @Test func prefetchesAToOneInOneStatement() throws {
    let (container, observer) = try opened()
    let articles = try container.mainContext.fetch(request("author"))
    #expect(
      observer.sql.dropFirst() == [
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZNAME FROM ZAUTHOR t0 "
          + "WHERE  t0.Z_PK IN (SELECT value FROM json_each(?))"
      ])
    #expect(observer.bindings.last == [.text("[1,2]")])
    #expect(observer.remarks == ["Prefetching with key 'author'.  Got 2 rows."])
    observer.removeAll()
    #expect(articles.map { $0.author?.name } == ["ann", "bob", "ann", "bob", nil, nil])
    #expect(observer.sql == [])
    #expect(container.statistics.cacheMisses == 0)
  }

  @Test func prefetchesAnOrderedOneToMany() throws {
    let (container, observer) = try opened()
    let articles = try container.mainContext.fetch(request("paragraphs"))
    #expect(
      observer.sql.dropFirst() == [
        "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZTEXT, t0.ZARTICLE, t0.ZARTICLE, t0.Z_FOK_ARTICLE "
          + "FROM ZPARAGRAPH t0 WHERE  t0.ZARTICLE IN (SELECT value FROM json_each(?))  "
          + "ORDER BY t0.ZARTICLE"
      ])
    observer.removeAll()
    #expect(
      articles.map { $0.paragraphs.map(\.text) } == [
        [], ["1.0"], ["2.1", "2.0"], [], ["4.0"], ["5.1", "5.0"],
      ])
    #expect(try articles[0].hasFault(forRelationship: "paragraphs") == false)
    #expect(observer.sql == [] && container.statistics.cacheMisses == 0)
  }

  @Test func linksMembersToOwnersInAnyOrderAndToOnesThatComeTwice() throws {
    let (container, observer) = try opened()
    var request = request("paragraphs", "tags.articles")
    request.sortDescriptors = [SortDescriptor(\.title, ascending: false)]
    let articles = try container.mainContext.fetch(request)
    observer.removeAll()
    #expect(
      articles.map { $0.paragraphs.map(\.text) } == [
        ["5.1", "5.0"], ["4.0"], [], ["2.1", "2.0"], ["1.0"], [],
      ])
    let tagged = articles[2].tags.map { $0.articles.map(\.title).sorted().joined() }
    #expect(tagged.sorted() == ["1235", "23", "3"])
    #expect(observer.sql == [])
  }

  @Test(arguments: ["paragraphs", "tags", "links"])
  func prefetchedMembersHaveTheOrderOfFaultedOnes(_ name: String) throws {
    let context = fixture.container.newBackgroundContext()
    let article = context.insert(Article.self)
    article.title = "many"
    for index in 0..<60 {
      let paragraph = context.insert(Paragraph.self)
      paragraph.text = "\(index)"
      article.paragraphs.append(paragraph)
      let tag = context.insert(Tag.self)
      tag.word = "\(index)"
      article.tags.insert(tag)
      article.links.insert(tag, at: index % 7)
    }
    try context.save()
    // Equal places, none, and places below zero.
    let order = "CASE Z_PK % 5 WHEN 0 THEN NULL WHEN 1 THEN -3 ELSE (Z_PK * 37) % 11 END"
    try Connection(path: fixture.url.path, mode: .readWrite).execute(
      "UPDATE ZPARAGRAPH SET Z_FOK_ARTICLE = \(order)")

    func keys(prefetches: Bool) throws -> [[Int64]] {
      let (container, observer) = try opened()
      let articles = try container.mainContext.fetch(prefetches ? request(name) : request())
      observer.removeAll()
      defer { #expect(observer.sql.isEmpty == prefetches) }
      return articles.map { article in
        switch name {
        case "paragraphs": article.paragraphs.map(\.objectID.primaryKey)
        case "tags": article.tags.map(\.objectID.primaryKey)
        default: article.links.map(\.objectID.primaryKey)
        }
      }
    }
    let faulted = try keys(prefetches: false)
    #expect(try keys(prefetches: true) == faulted)
    #expect(faulted.map(\.count).max() == 60)
  }

  @Test func goesThroughMembersThatAreRemovedMeanwhile() throws {
    let (container, _) = try opened()
    let articles = try container.mainContext.fetch(request("tags"))
    for tag in articles[3].tags { articles[3].tags.remove(tag) }
    #expect(articles[3].tags.isEmpty)
  }

  @Test func movesNoPrefetchedMemberWhenOneIsAppended() throws {
    let (container, observer) = try opened()
    let articles = try container.mainContext.fetch(request("paragraphs"))
    let paragraph = container.mainContext.insert(Paragraph.self)
    paragraph.text = "new"
    articles[5].paragraphs.insert(paragraph, at: 2)
    observer.removeAll()
    try container.mainContext.save()
    #expect(observer.sql.count { $0.hasPrefix("UPDATE ZPARAGRAPH") } == 0)
    let again = try opened().0
    let last = try #require(try again.mainContext.fetch(request()).last)
    #expect(last.paragraphs.map(\.text) == ["5.1", "5.0", "new"])
  }

  @Test func prefetchesManyToManys() throws {
    let (container, observer) = try opened()
    let articles = try container.mainContext.fetch(request("tags", "links"))
    #expect(observer.sql.count == 3)
    #expect(observer.sql[1].contains(" ON t0.Z_PK = t1."))
    #expect(
      observer.remarks == [
        "Prefetching with key 'tags'.  Got 7 rows.", "Prefetching with key 'links'.  Got 6 rows.",
      ])
    observer.removeAll()
    #expect(
      articles.map { $0.tags.map(\.word).sorted() } == [
        [], ["x"], ["x", "y"], ["x", "y", "z"], [], ["x"],
      ])
    #expect(
      articles.map { $0.links.map(\.word) } == [[], ["x"], ["y", "x"], [], ["x"], ["y", "x"]])
    #expect(observer.sql == [] && container.statistics.cacheMisses == 0)
  }

  @Test func prefetchesNestedKeyPathsSharingTheirBeginnings() throws {
    let (container, observer) = try opened()
    var request = FetchRequest<Author>()
    request.relationshipKeyPathsForPrefetching = [
      "articles", "articles.tags", "articles.paragraphs.article",
    ]
    let authors = try container.mainContext.fetch(request)
    #expect(
      observer.remarks == [
        "Prefetching with key 'articles'.  Got 4 rows.",
        "Prefetching with key 'articles.tags'.  Got 6 rows.",
        "Prefetching with key 'articles.paragraphs'.  Got 3 rows.",
        "Prefetching with key 'articles.paragraphs.article'.  Got 2 rows.",
      ])
    observer.removeAll()
    for author in authors {
      for article in author.articles {
        #expect(article.author === author)
        #expect(article.tags.allSatisfy { !$0.word.isEmpty })
        #expect(article.paragraphs.allSatisfy { $0.article?.title == article.title })
      }
    }
    #expect(observer.sql == [] && container.statistics.cacheMisses == 0)
  }

  @Test func reportsPrefetchesAsChildrenWithinTheFetchsTime() throws {
    let (container, observer) = try opened()
    _ = try container.mainContext.fetch(request("author", "paragraphs"), file: "f", line: 7)
    let ends = fetchEnds(observer)
    #expect(ends.map(\.kind) == [.prefetch, .prefetch, .objects])
    #expect(ends.map(\.entity) == ["Author", "Paragraph", "Article"])
    #expect(ends.map(\.rows) == [2, 6, 6])
    #expect(ends[0].parentID == ends[2].fetchID && ends[1].parentID == ends[2].fetchID)
    #expect(ends[2].totalTime >= ends[0].totalTime + ends[1].totalTime)
    #expect(ends[2].connectionTime <= ends[2].totalTime)
    let begins = observer.events.compactMap { event -> StoreEvents.SourceLocation? in
      if case .fetchBegin(let begin) = event { begin.location } else { nil }
    }
    #expect(begins == Array(repeating: StoreEvents.SourceLocation(file: "f", line: 7), count: 3))
    #expect(observer.plans.values.joined().filter(\.isTableScan).map(\.detail) == ["SCAN t0"])
    #expect(container.statistics.fetches == 3)
  }

  @Test func prefetchesEachBatch() throws {
    let (container, observer) = try opened()
    var request = request("author", "tags")
    request.fetchBatchSize = 2
    let articles = try container.mainContext.fetchInBatches(request)
    #expect(fetchEnds(observer).map(\.kind) == [.objects])
    #expect(articles[2].author?.name == "ann")
    #expect(articles[3].tags.count == 3)
    let ends = fetchEnds(observer)
    #expect(ends.map(\.kind) == [.objects, .prefetch, .prefetch, .batch])
    #expect(ends[1].parentID == ends[3].fetchID && ends[3].parentID == ends[0].fetchID)
    #expect(container.statistics.cacheMisses == 0)
  }

  @Test func seesUnsavedChanges() throws {
    let (container, observer) = try opened()
    let context = container.mainContext
    let articles = try context.fetch(request())
    let authors = try context.fetch(FetchRequest<Author>())
    articles[0].author = authors[1]
    articles[1].author = nil
    let new = context.insert(Article.self)
    new.title = "9"
    new.author = context.insert(Author.self)
    new.author?.name = "cid"
    articles[5].paragraphs.removeAll()
    observer.removeAll()
    let again = try context.fetch(request("author", "paragraphs"))
    #expect(again.map { $0.author?.name } == ["bob", nil, "ann", "bob", nil, nil, "cid"])
    #expect(again.map(\.paragraphs.count) == [0, 1, 2, 0, 1, 0, 0])
    var request = FetchRequest<Author>()
    request.sortDescriptors = [SortDescriptor(\.name)]
    request.relationshipKeyPathsForPrefetching = ["articles"]
    observer.removeAll()
    #expect(
      try context.fetch(request).map { $0.articles.map(\.title).sorted() }
        == [["2"], ["0", "3"], ["9"]])
  }

  @Test func needsNoRowCache() throws {
    let (container, _) = try opened(rowCacheSize: 0)
    var request = request("author", "tags")
    request.returnsObjectsAsFaults = false
    let articles = try container.mainContext.fetch(request)
    #expect(articles.map { $0.author?.isFault } == [false, false, false, false, nil, nil])
    #expect(articles[3].tags.allSatisfy { !$0.isFault })
  }

  @Test func refusesNamesThatAreNoRelationship() throws {
    #expect(
      throws: FetchPredicateError.unknownProperty("auhtor", entity: "Article", nearest: "author")
    ) { try context.fetch(request("auhtor")) }
    #expect(throws: FetchPredicateError.self) { try context.fetch(request("author.name")) }
    #expect(throws: FetchPredicateError.self) { try context.fetch(request("")) }
    #expect(try context.count(request("nothing")) == 6)
  }
}
